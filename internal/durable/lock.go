package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
)

// ErrLocked says that somebody else, in this process or another, has the lock.
var ErrLocked = errors.New("the lock is held")

// FileLock is an exclusive lock on a file. The kernel frees it when the process
// ends in any way, so a lock is never stale.
type FileLock struct {
	f    *os.File
	path string
	file os.FileInfo // of f, to compare with what has its name
}

// Lock takes the lock on path without waiting, creating the file (0600) when it
// is not there. It returns an error that is [ErrLocked] when the lock is held.
// Every call opens its own descriptor, so two goroutines exclude each other just
// as two processes do.
//
// Nobody but its holder may remove the file, with [FileLock.Remove]: a lock on a file
// that has lost its name excludes nobody. Lock notices the case where that happened just
// before and tries again; if it happens again and again, others hold the lock.
func Lock(path string) (*FileLock, error) {
	for range 3 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|nonblock, 0o600)
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if err := tryLock(f, true); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("lock: %w", err)
		}
		l := &FileLock{f: f, path: path}
		if l.file, err = f.Stat(); err == nil && l.Named() {
			return l, nil
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("lock: %s is replaced again and again: %w", path, ErrLocked)
}

// Locked reports whether somebody holds the lock on path. To find out it takes a
// shared lock for a moment. Other callers of Locked do not notice, but a
// concurrent [Lock] may: its callers try again when they cannot accept a false
// [ErrLocked].
func Locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR|nonblock, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if errors.Is(tryLock(f, false), ErrLocked) {
		return true
	}
	_ = unlock(f) // closing frees it in any case
	return false
}

// File is the locked file, open for reading and writing. Its content is the
// holder's to use; it closes with [FileLock.Unlock].
func (l *FileLock) File() *os.File { return l.f }

// Named reports whether the locked file still has its name. When somebody removed
// or replaced it, others can lock the new file, and this lock excludes nobody.
func (l *FileLock) Named() bool {
	named, err := os.Stat(l.path)
	return err == nil && os.SameFile(l.file, named)
}

// Unlock frees the lock. The file stays.
func (l *FileLock) Unlock() error {
	err := unlock(l.f)
	if e := l.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// Remove frees the lock and removes its file, for a lock that is seldom taken and lies
// among a person's files. A file that cannot be removed stays: it is in nobody's way.
func (l *FileLock) Remove() error {
	// On Windows an open file cannot be removed, so one that others wait for stays.
	if runtime.GOOS != "windows" {
		if l.Named() {
			_ = os.Remove(l.path)
		}
		return l.Unlock()
	}
	err := l.Unlock()
	_ = os.Remove(l.path)
	return err
}

// Rest frees the lock and keeps the file open, for a holder that takes the same lock
// again and again: opening a file costs several times what locking it does. Until
// [FileLock.Resume] the holder leaves the file's content alone.
func (l *FileLock) Rest() error {
	if err := unlock(l.f); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// Resume takes a lock that rests as [Lock] would. After an error it still rests.
func (l *FileLock) Resume() error {
	if err := tryLock(l.f, true); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if l.Named() {
		return nil
	}
	fresh, err := Lock(l.path)
	if err != nil {
		return errors.Join(err, l.Rest())
	}
	_ = l.Close() // of a file without a name
	*l = *fresh
	return nil
}

// Close closes the file, which frees the lock if it is held.
func (l *FileLock) Close() error { return l.f.Close() }

// lockPoll is the longest time after which [WaitLock] looks at a held lock again; the
// first times it looks sooner.
const lockPoll = 50 * time.Millisecond

// WaitLock is [Lock] that waits for the lock's holder, until ctx is done. Its error
// is [ErrLocked] then, with the cause.
func WaitLock(ctx context.Context, path string) (*FileLock, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, lockPoll) {
		l, err := Lock(path)
		if !errors.Is(err, ErrLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w, and the wait for it ended: %w", ErrLocked, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
