package session

import (
	"context"
	"errors"
	"os"
	"path"

	"belay/internal/durable"
)

// Commit makes durable what was appended under this lease, the blobs that were
// put through it, and the extra files. After it returned nil a power cut loses
// none of them. Commits of many sessions share a bounded number of threads.
//
// A failed flush leaves the kernel's word about those bytes in doubt: Commit
// says STORAGE_FAILURE and the next one tries again. It says so, too, when the
// files have lost their names: then the record is nowhere to be found. When the
// lock file has, it is [ErrLockLost], and the lease writes nothing more.
func (l *Lease) Commit(ctx context.Context, extra ...*os.File) error {
	v := l.live
	v.mu.Lock()
	if err := l.alone(); err != nil {
		v.mu.Unlock()
		return err
	}
	p := v.pending()
	lost := v.lost(p)
	blobs := l.blobs
	v.mu.Unlock()

	for _, f := range extra {
		p.files = append(p.files, f)
	}
	err := v.store.o.Committer.Commit(ctx, p.files...)
	if blobs != nil {
		err = errors.Join(err, blobs.Sync(ctx))
	}
	if err == nil {
		err = v.syncDirs(p.dirs)
	}
	if err != nil {
		v.putBack(p)
		return storage("the record could not be made durable", err)
	}
	for _, s := range p.sealed {
		err = errors.Join(err, s.Close())
	}
	if err == nil {
		err = lost
	}
	return storage("the record could not be made durable", err)
}

// uncommitted is what a commit has to flush.
type uncommitted struct {
	files       []durable.Syncer
	sealed      []*durable.Lines
	script, log bool
	dirs        []string
}

// pending takes what is not durable yet. v.mu is held.
func (v *live) pending() uncommitted {
	p := uncommitted{script: v.script.dirty, log: v.log.active.dirty, sealed: v.log.sealed, dirs: v.newDirs}
	v.script.dirty, v.log.active.dirty, v.log.sealed, v.newDirs = false, false, nil, nil
	if p.script {
		p.files = append(p.files, v.script.lines)
	}
	if p.log {
		p.files = append(p.files, v.log.active.lines)
	}
	for _, s := range p.sealed {
		p.files = append(p.files, s)
	}
	return p
}

// lost is why what is about to be committed will not be found again, or nil: the
// project or the session's folder may be moved or removed while a turn runs, and
// writing to files without a name succeeds all the same. v.mu is held.
func (v *live) lost(p uncommitted) error {
	if p.script && !v.script.named(v.place.file(fileTranscript)) || p.log && !v.log.active.named(v.place.file(v.log.active.name)) {
		return errLost
	}
	return nil
}

// putBack returns what a failed commit took.
func (v *live) putBack(p uncommitted) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.script.dirty = v.script.dirty || p.script
	v.log.active.dirty = v.log.active.dirty || p.log
	v.log.sealed = append(p.sealed, v.log.sealed...)
	v.newDirs = append(p.dirs, v.newDirs...)
}

// syncDirs makes new entries of the session's folders durable.
func (v *live) syncDirs(dirs []string) error {
	if len(dirs) == 0 {
		return nil
	}
	base, err := os.OpenRoot(v.place.base)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	done := map[string]bool{}
	for _, d := range dirs {
		if done[d] {
			continue
		}
		done[d] = true
		if err := durable.FlushDir(base, path.Join(v.place.rel, d), durable.Transcript); err != nil {
			return err
		}
	}
	return nil
}
