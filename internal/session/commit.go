package session

import (
	"context"
	"os"
	"path"

	"belay/internal/durable"
)

// Commit makes durable what was appended to the transcript under this lease, and
// the blobs that were put through it. After it returned nil a power cut loses
// none of them. The log is not flushed. Commits of many sessions share a bounded
// number of threads.
//
// A failed flush leaves the kernel's word about those bytes in doubt: Commit
// says STORAGE_FAILURE and the next one tries again. It says so, too, when the
// files have lost their names: then the record is nowhere to be found. When the
// lock file has, it is [ErrLockLost], and the lease writes nothing more.
func (l *Lease) Commit(ctx context.Context) error {
	const failed = "the record could not be made durable"
	v := l.state
	v.mu.Lock()
	if err := l.alone(); err != nil {
		v.mu.Unlock()
		return err
	}
	var files []durable.Syncer
	t := &v.transcript
	dirty, end, reserved := t.dirty, t.position(), t.reserved
	if dirty {
		t.dirty = false
		files = append(files, t.lines)
	}
	var lost error
	if dirty && !t.named(v.path.file(fileTranscript)) {
		lost = errLost
	}
	folders, blobs, inputs := !v.foldersFlushed, l.blobs, l.inTranscript
	l.inTranscript = nil
	v.mu.Unlock()

	// At once: flushes that wait together share the file system's work.
	work := []func() error{func() error { return v.store.o.Committer.Commit(ctx, files...) }}
	if blobs != nil {
		work = append(work, func() error { return blobs.Sync(ctx) })
	}
	if folders && lost == nil {
		work = append(work, v.flushFolders)
	}
	err := durable.Together(work...)
	if err == nil && lost == nil && len(inputs) > 0 {
		err = l.dropTaken(inputs)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		t.dirty = t.dirty || dirty
		l.inTranscript = append(inputs, l.inTranscript...)
		return storage(failed, err)
	}
	t.flushed, t.kept = end, max(t.kept, reserved)
	v.foldersFlushed = v.foldersFlushed || lost == nil
	return storage(failed, lost)
}

// flushFolders makes the names durable that lead to a session's transcript.
func (v *sessionState) flushFolders() error {
	base, err := os.OpenRoot(v.path.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	return v.store.paths.flushNew(base, v.path)
}

// flushNew makes a new session survive a power cut.
func (s *paths) flushNew(base *os.Root, p sessionPath) error {
	if err := s.flushTo(base, p); err != nil || !p.inProject() {
		return err
	}
	return s.knowProject(p.base)
}

// flushTo makes the entries of a session's folder and of those above it durable.
func (s *paths) flushTo(base *os.Root, p sessionPath) error {
	return durable.Together(
		func() error { return durable.FlushDir(base, p.rel, durable.Transcript) },
		func() error { return s.flushUp(base, path.Dir(p.rel), durable.Transcript) },
	)
}

// flushUp makes the entries of dir durable, and those that lead to it from base.
// Each of these is flushed once by a process.
func (s *paths) flushUp(base *os.Root, dir string, kind *durable.File) error {
	if err := durable.FlushDir(base, dir, kind); err != nil {
		return err
	}
	for ; dir != "."; dir = path.Dir(dir) {
		info, err := base.Lstat(dir)
		if err != nil {
			return err
		}
		if s.store.flushed.has(base.Name()+"\x00"+dir, info, os.SameFile) {
			return nil
		}
		if err := durable.FlushDir(base, path.Dir(dir), kind); err != nil {
			return err
		}
		s.store.flushed.note(base.Name()+"\x00"+dir, info)
	}
	return nil
}
