package undo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace"
)

// lockWait bounds the waiting for those who change single files.
const lockWait = 30 * time.Second

// work is a project whose files nobody else of belay changes meanwhile.
type work struct {
	root    *os.Root
	journal *journal.Project
	tx      *journal.Tx
	release []func()
}

// leave ends the work. A transaction that was made and not told is settled later.
func (w *work) leave() {
	slices.Reverse(w.release)
	for _, f := range w.release {
		f()
	}
	w.release = nil
}

// enter takes the locks of the folders in which files change, then those of the
// project, in the order of all writers.
func (s *Store) enter(ctx context.Context, project string, paths []string) (_ *work, err error) {
	w := &work{}
	defer func() {
		if err != nil {
			w.leave()
		}
	}()
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for _, l := range locks(project, paths) {
		unlock, err := workspace.LockFolder(waiting, s.o.LockDir, l.kind, l.folder)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fault.New(fault.Overloaded, "somebody else changes %s for longer than %v", l.folder, lockWait).Because(err)
		}
		w.release = append(w.release, unlock)
	}
	done, err := s.o.Notify.Begin(ctx, workspace.Write{Project: project, Path: paths[0]})
	if err != nil {
		return nil, err
	}
	w.release = append(w.release, func() { done(true) })
	if w.root, err = os.OpenRoot(project); err != nil {
		return nil, fault.New(fault.WorkingRootInaccessible, "projectRoot can not be opened").With("projectRoot", project).Because(err)
	}
	w.release = append(w.release, func() { _ = w.root.Close() }) // it was only a way to the files
	if w.journal, err = s.o.Journal.Open(ctx, project, w.root); err != nil {
		if errors.Is(err, journal.ErrBusy) {
			return nil, fault.New(fault.Overloaded, "somebody else changes files of the project").WithHint("try it again").Because(err)
		}
		return nil, fault.New(fault.StorageFailure, "an earlier change of the project's files could not be finished").WithHint("see belay doctor").Because(err)
	}
	w.release = append(w.release, func() { _ = w.journal.Close() }) // closing frees it in any case
	return w, nil
}

// lock is a lock of those who change single files.
type lock struct{ kind, folder string }

// locks are those of some files, in the order in which everybody takes them.
func locks(project string, paths []string) []lock {
	var all []lock
	for _, p := range paths {
		if dir := path.Dir(p); dir == proposals {
			all = append(all, lock{"proposals", project})
		} else {
			all = append(all, lock{"deliverable", filepath.Join(project, filepath.FromSlash(dir))})
		}
	}
	slices.SortFunc(all, func(a, b lock) int { // proposals are locked first, then their deliverable
		if a.kind != b.kind {
			return -bytes.Compare([]byte(a.kind), []byte(b.kind))
		}
		return bytes.Compare([]byte(a.folder), []byte(b.folder))
	})
	return slices.Compact(all)
}

// proposals is the folder of a project's proposals.
const proposals = ".belay/proposals"

// read is the content of a file as it is.
func (w *work) read(name string) ([]byte, error) {
	data, _, err := durable.ReadFile(w.root, name, maxBytes)
	return data, err
}

// apply changes files through the journal.
func (w *work) apply(ctx context.Context, owner journal.Owner, files []File) error {
	plan := journal.Plan{Owner: owner, Inside: true}
	for _, f := range files {
		plan.Changes = append(plan.Changes, journal.Change{
			Op: journal.Replace, Path: journal.Name(f.Path),
			Before:  journal.State{Type: journal.File, SHA256: hash(f.Before)},
			After:   journal.State{Type: journal.File, SHA256: hash(f.After), Size: int64(len(f.After))},
			Content: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.After)), nil },
		})
	}
	tx, err := w.journal.Begin(plan)
	if err != nil {
		return failed(err)
	}
	if err := tx.Prepare(); err != nil {
		return failed(errors.Join(err, tx.Drop()))
	}
	if err := tx.Apply(ctx); err != nil {
		return failed(errors.Join(err, tx.Drop()))
	}
	w.tx = tx
	return nil
}

// failed is the error about files that were not changed.
func failed(err error) error {
	var conflicts *journal.ConflictError
	if errors.As(err, &conflicts) {
		var paths []string
		for _, c := range conflicts.Conflicts {
			paths = append(paths, string(c.Path))
		}
		return conflict(paths)
	}
	return fault.New(fault.StorageFailure, "the files could not be changed; they are as they were").
		WithHint("free disk space, check the permissions, then try again").Because(err)
}

// conflict is the error about files that somebody else changed.
func conflict(paths []string) error {
	return fault.New(fault.ContentChanged, "%s was changed since; nothing was changed now", paths[0]).With("paths", paths)
}
