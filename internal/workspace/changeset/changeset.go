// Package changeset changes files of a project, all of them or none.
//
// [Writer.Open] keeps everybody else of belay from the files; [Project.Apply] changes
// them through the project's journal. A process that dies in between leaves a change
// that the next one completes or takes back: [Writer.Open] does that, and
// [Writer.Settle] for those who only read.
package changeset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/quantity"
	"belay/internal/workspace"
)

// File is a file that changes. Path is relative to the project, with slashes. Before
// is nil where there is no file yet, After where there is to be none.
type File struct {
	Path          string
	Before, After []byte
}

// Changes reports whether the two differ.
func (f File) Changes() bool {
	return (f.Before == nil) != (f.After == nil) || !bytes.Equal(f.Before, f.After)
}

// Writer says who takes part in changes. It is safe for concurrent use, by any number
// of processes with the same state folder.
type Writer struct {
	// LockDir is a folder for locks, outside of what agents reach.
	LockDir string
	Journal *journal.Store
	Gate    workspace.Gate
	// Wait bounds the waiting for others; default 30 s.
	Wait time.Duration
	// Keep is called before every change is made; nil keeps nothing.
	Keep Keeper
}

// The kinds of locks, in the order in which they are taken.
const (
	Proposals   = "proposals"
	Deliverable = "deliverable"
)

// proposalsFolder is where a project's proposals are.
const proposalsFolder = ".belay/proposals"

// Lock waits for a lock of one kind on a folder, and returns what frees it. It fails
// with OVERLOADED where somebody else holds it for longer than wait.
func Lock(ctx context.Context, dir, kind, folder string, wait time.Duration) (func(), error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := workspace.LockFolder(waiting, dir, kind, folder)
	switch {
	case err == nil:
		return unlock, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.Overloaded, "another change of %s takes longer than %s", filepath.Base(folder), quantity.Duration(wait)).WithHint("try it again").Because(err)
	}
	return nil, fault.New(fault.WorkspaceFailure, "%s cannot be locked", filepath.Base(folder)).Because(err)
}

// Project is a project whose files nobody else of belay changes meanwhile. It is used
// by one goroutine and closed at the end.
type Project struct {
	path    string
	root    *os.Root
	journal *journal.Project
	keep    Keeper
	release []func()
}

// Close lets others at the files again.
func (p *Project) Close() {
	for _, f := range slices.Backward(p.release) {
		f()
	}
	p.release = nil
}

// Open takes the locks of those who change single files, for the files that are
// named, then those of the project, and completes what a dead process left half done.
// It fails with OVERLOADED where somebody else changes the project for too long.
func (w Writer) Open(ctx context.Context, project string, paths ...string) (_ *Project, err error) {
	p := &Project{path: project, keep: w.Keep}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	for _, l := range locks(project, paths) {
		unlock, err := Lock(ctx, w.LockDir, l.kind, l.folder, cmp.Or(w.Wait, 30*time.Second))
		if err != nil {
			return nil, err
		}
		p.release = append(p.release, unlock)
	}
	leave, err := w.Gate.Enter(ctx, project)
	if err != nil {
		return nil, err
	}
	p.release = append(p.release, leave)
	if p.root, err = workspace.OpenProject(project); err != nil {
		return nil, err
	}
	p.release = append(p.release, func() { _ = p.root.Close() }) // it was only a way to the files
	if p.journal, err = w.Journal.Open(ctx, project, p.root); err != nil {
		if errors.Is(err, journal.ErrBusy) {
			return nil, fault.New(fault.Overloaded, "somebody else changes files of the project").WithHint("try it again").Because(err)
		}
		return nil, fault.New(fault.StorageFailure, "an earlier change of the project's files could not be finished").WithHint("see belay doctor").Because(err)
	}
	p.release = append(p.release, func() { _ = p.journal.Close() }) // closing frees it in any case
	return p, nil
}

// maxSettling is how long a reader waits for a change that is under way.
const maxSettling = time.Second

// Settle is for those who are about to read files of the project, or the named ones of it:
// it completes or takes back what a dead process left half done, and waits up to a second
// for a change that is under way. It is cheap where there is neither. An error says that
// the files may be half changed: OVERLOADED for a change that takes longer.
func (w Writer) Settle(ctx context.Context, project string, paths ...string) error {
	if !w.Journal.Left(project, "") && !w.Journal.Stray(project) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, maxSettling)
	defer cancel()
	p, err := w.Open(waiting, project, paths...)
	switch {
	case err == nil:
		p.Close()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case waiting.Err() != nil:
		return fault.New(fault.Overloaded, "somebody else changes files of the project").WithHint("try it again").Because(err)
	}
	return err
}

// lock is a lock of those who change single files.
type lock struct{ kind, folder string }

// locks are those of some files, in the order in which everybody takes them: that of
// the proposals comes first.
func locks(project string, paths []string) []lock {
	var all []lock
	for _, p := range paths {
		if dir := path.Dir(p); dir == proposalsFolder {
			all = append(all, lock{Proposals, project})
		} else {
			all = append(all, lock{Deliverable, filepath.Join(project, filepath.FromSlash(dir))})
		}
	}
	slices.SortFunc(all, func(a, b lock) int { return cmp.Or(-cmp.Compare(a.kind, b.kind), cmp.Compare(a.folder, b.folder)) })
	return slices.Compact(all)
}

// Read is the content of a file as it is, of at most limit bytes.
func (p *Project) Read(name string, limit int64) ([]byte, error) {
	data, _, err := durable.ReadFile(p.root, name, limit)
	return data, err
}
