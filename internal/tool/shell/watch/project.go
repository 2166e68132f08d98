package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
)

// project is what this process remembers of one between commands, and the folder
// that it shares with others.
type project struct {
	dir  string
	turn chan struct{} // holds this process's right to run a command
	keep *keep
	last *listing // as it was seen last
}

// What is in a project's folder, beside the packs.
const (
	// lockFile is locked while a command runs, gateFile while its before or after
	// is being noted, or a file tool changes something.
	lockFile = "lock"
	gateFile = "gate"
	// announceFile tells of the command that runs, toldFile of the changes that
	// are not its own, pathFile of the project.
	announceFile = "command.json"
	toldFile     = "told.jsonl"
	pathFile     = "project"

	projectsDir = "projects"
)

// gateWait is how long the gate is waited for: longer than it takes to note a very
// large project.
const gateWait = time.Minute

// project returns what is remembered of the project at path.
func (w *Watcher) project(path string) (*project, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, ok := w.projects[path]; ok {
		return p, nil
	}
	at := w.locate(path)
	p := &project{dir: at.dir, turn: make(chan struct{}, 1), keep: newKeep(at.dir, w.o.KeepBytes), last: &listing{}}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(p.file(pathFile)); errors.Is(err, fs.ErrNotExist) {
		if err := p.write(pathFile, []byte(at.real+"\n")); err != nil {
			return nil, err
		}
	}
	w.projects[path] = p
	return p, nil
}

// location is the folder of a project, and the project's real path: it is the same
// one by whatever name.
type location struct{ dir, real string }

// locate finds the folder of the project at path, once: every turn asks.
func (w *Watcher) locate(path string) location {
	if l, ok := w.locations.Load(path); ok {
		return l.(location)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	sum := sha256.Sum256([]byte(real))
	l := location{filepath.Join(w.o.Dir, projectsDir, hex.EncodeToString(sum[:16])), real}
	if err == nil {
		w.locations.Store(path, l)
	}
	return l
}

func (p *project) file(name string) string { return filepath.Join(p.dir, name) }

// write replaces a file of the project's folder.
func (p *project) write(name string, data []byte) (err error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return durable.WriteFile(root, name, data, 0o600, durable.CommandState)
}

// BusyError says that another command runs in the project for longer than was to
// be waited for.
type BusyError struct {
	Waited time.Duration
	// SessionID is whose command it is, "" where that is not known, Since when it
	// began.
	SessionID string
	Since     time.Time
}

// Error implements error.
func (e *BusyError) Error() string {
	text := fmt.Sprintf("another command runs in the project, which takes one at a time; it was waited for %v", e.Waited.Round(time.Millisecond))
	if e.SessionID != "" {
		text += fmt.Sprintf(" (session %s runs it, since %s)", e.SessionID, e.Since.Format(time.TimeOnly))
	}
	return text
}

// begin takes the right to run a command in the project.
func (p *project) begin(ctx context.Context, wait time.Duration) (*durable.FileLock, error) {
	began := time.Now()
	select {
	case p.turn <- struct{}{}: // at once
	default:
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case p.turn <- struct{}{}:
		case <-timer.C:
			return nil, p.busy(began)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	lock, err := lockSoon(ctx, p.file(lockFile), wait-time.Since(began))
	if err == nil {
		return lock, nil
	}
	<-p.turn
	if errors.Is(err, durable.ErrLocked) {
		return nil, p.busy(began)
	}
	return nil, err
}

func (p *project) end(lock *durable.FileLock) error {
	err := lock.Unlock()
	<-p.turn
	return err
}

func (p *project) busy(began time.Time) error {
	e := &BusyError{Waited: time.Since(began)}
	if a, err := p.announced(); err == nil {
		e.SessionID, e.Since = a.Origin.SessionID, a.Began
	}
	return e
}

// gate takes the right to change the project, or to note it.
func (p *project) gate(ctx context.Context) (*durable.FileLock, error) {
	began := time.Now()
	lock, err := lockSoon(ctx, p.file(gateFile), gateWait)
	if errors.Is(err, durable.ErrLocked) {
		return nil, p.busy(began)
	}
	return lock, err
}

// How often a lock is tried for that another process holds: the first times soon.
const (
	firstTry = time.Millisecond
	lastTry  = 50 * time.Millisecond
)

// lockSoon takes a lock within a time.
func lockSoon(ctx context.Context, path string, wait time.Duration) (*durable.FileLock, error) {
	began := time.Now()
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		lock, err := durable.Lock(path)
		if errors.Is(err, fs.ErrNotExist) { // the folder was swept
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				lock, err = durable.Lock(path)
			}
		}
		if err == nil || !errors.Is(err, durable.ErrLocked) || time.Since(began) >= wait {
			return lock, err
		}
		timer := time.NewTimer(min(pause, max(wait-time.Since(began), 0)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}
