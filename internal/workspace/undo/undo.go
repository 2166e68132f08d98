// Package undo takes back what belay changed in the files of a project for a person.
//
// [Store.Keep] puts what files held on record in the state folder, where no tool and no
// command reaches, before they change: it is the [changeset.Keeper] of everything that
// changes files through package changeset. [Store.Make] is such a change.
// [Store.Undo] puts back what the files held, byte for byte, unless one of them was changed
// since. What turns changed is not here but in their sessions.
//
// Contract: architecture, "A change of project files".
package undo

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace/changeset"
)

// Options say where changes are on record, and who takes part in them.
type Options struct {
	// Writer makes the changes. What its Keep says does not count here.
	changeset.Writer
	// Dir is the folder of the records, in the state folder.
	Dir    string
	Record changeset.Recorder[Change]
	Clock  func() time.Time
	// NewID makes ids that sort by time: letters, digits and dashes.
	NewID func() string
	// Last is how many changes of a project can be taken back; default 20.
	Last int
}

// Store makes changes and takes them back. It is safe for concurrent use, by any
// number of processes with the same state folder.
type Store struct{ o Options }

// New returns a store.
func New(o Options) *Store {
	o.Last, o.Writer.Keep = cmp.Or(o.Last, 20), nil
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Store{o}
}

// Change is a change of files that can be taken back.
type Change struct {
	ID      string    `json:"id"`
	Project string    `json:"project"`
	Time    time.Time `json:"time"`
	// What was done, in the words of the command; By is who asked.
	What  string   `json:"what"`
	By    string   `json:"by,omitempty"`
	Paths []string `json:"paths"`
	// Undone is when it was taken back, nil while it is in effect.
	Undone *time.Time `json:"undone,omitempty"`
	// Problem says why it cannot be taken back, of one whose record cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Make changes files, all of them or none. It is refused with CONTENT_CHANGED where
// one is not what it was, which details.paths names, and with OVERLOADED where
// somebody else changes the project for too long.
func (s *Store) Make(ctx context.Context, project, what, by string, files []changeset.File) (Change, error) {
	var (
		r     record
		paths []string
	)
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	w := s.o.Writer
	w.Keep = func(string, string, string, []changeset.File) (string, func(bool) error, error) { return s.keep(r) }
	p, err := w.Open(ctx, project, paths...)
	if err != nil {
		return r.Change, err
	}
	defer p.Close()
	// Its id says when it was made: not before the files were its own.
	if r, err = s.record(project, what, by, files); err != nil {
		return r.Change, err
	}
	return r.Change, s.o.Record.Make(ctx, "change", r.Change, func() error {
		_, err := p.Apply(ctx, what, by, files)
		return err
	})
}

// Keep is the [changeset.Keeper] of changes that [Store.Undo] takes back.
func (s *Store) Keep(project, what, by string, files []changeset.File) (id string, settle func(made bool) error, err error) {
	r, err := s.record(project, what, by, files)
	if err != nil {
		return "", nil, err
	}
	return s.keep(r)
}

// Undo takes back a change, the last one still in effect where id is "". It is
// refused with NOT_FOUND where there is none, with WORKSPACE_FILE_READ_FAILED where one of its
// files may not be read, with CONTENT_CHANGED where one was changed since, and with INVALID_REQUEST where it was taken back already, or is not
// in effect: its process died before it was made, or somebody put the files back by hand. Then
// nothing is changed, and the next call without an id is about the change before it.
func (s *Store) Undo(ctx context.Context, project, id, by string) (Change, error) {
	r, err := s.find(ctx, project, id)
	if err != nil {
		return Change{}, err
	}
	p, err := s.o.Open(ctx, project, r.Paths...)
	if err != nil {
		return r.Change, err
	}
	defer p.Close()
	// Somebody else may have taken it back while this one waited for the files.
	if r, err = s.load(project, r.ID); err == nil && r.Undone != nil {
		err = r.isUndone()
	}
	if err != nil {
		return r.Change, err
	}
	var files []changeset.File
	var changed []string
	for _, f := range r.Files {
		now, err := p.Read(f.Path, maxBytes)
		switch is := stateOf(now); {
		case errors.Is(err, fs.ErrPermission):
			return r.Change, fault.New(fault.WorkspaceFileReadFailed, "%s cannot be read; nothing was changed", f.Path).Because(err)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			changed = append(changed, f.Path)
		case is == f.After:
			files = append(files, changeset.File{Path: f.Path, Before: now, After: f.Before})
		case is != stateOf(f.Before): // otherwise it is back already
			changed = append(changed, f.Path)
		}
	}
	if len(changed) > 0 {
		return r.Change, changeset.Conflict(changed)
	}
	finishes, back := r.Undoing, r.Change
	back.What, back.By = "undo of "+r.What, by
	err = s.o.Record.Make(ctx, "change", back, func() error {
		if len(files) == 0 {
			return nil
		}
		r.Undoing = true
		if err := s.save(project, r); err != nil {
			return err
		}
		_, err := p.Apply(ctx, back.What, by, files)
		if err != nil {
			r.Undoing = false
			err = errors.Join(err, s.save(project, r))
		}
		return err
	})
	if err != nil {
		return r.Change, err
	}
	now := s.o.Clock().UTC()
	r.Undone = &now
	err = s.save(project, r)
	if err == nil && len(files) == 0 && !finishes {
		err = fault.New(fault.InvalidRequest, "the change %s (%s) is not in effect: its files are as they were before it", r.ID, fault.Clip(r.What)).
			WithHint("belay undo --list lists the changes; belay undo takes back the one before it")
	}
	return r.Change, err
}

// List are the changes of a project on record, the latest first.
func (s *Store) List(ctx context.Context, project string) ([]Change, error) {
	ids, err := s.ids(project)
	if err != nil {
		return nil, err
	}
	all := []Change{}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r, err := s.load(project, id)
		if err != nil {
			r.Change = Change{ID: id, Project: project, Paths: []string{}, Problem: fault.From(err).Message}
		}
		all = append(all, r.Change)
	}
	return all, nil
}

// find is the record of a change.
func (s *Store) find(ctx context.Context, project, id string) (record, error) {
	if id != "" {
		r, err := s.load(project, id)
		if err == nil && r.Undone != nil {
			err = r.isUndone()
		}
		return r, err
	}
	ids, err := s.ids(project)
	if err != nil {
		return record{}, err
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return record{}, context.Cause(ctx)
		}
		if r, err := s.load(project, id); err != nil || r.Undone == nil {
			return r, err
		}
	}
	return record{}, fault.New(fault.NotFound, "no change of this project can be taken back here").
		WithHint("what a turn changed is taken back with belay session undo; changes from before the project's folder was moved are known by its old path")
}
