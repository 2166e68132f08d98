// Package undo changes files of a project for a person, and can take that back.
//
// [Store.Make] changes files all at once or not at all, through the project's
// journal. Before it does, it puts what they held on record in the state folder,
// where no tool and no command reaches. [Store.Undo] puts that back, byte for byte,
// unless one of the files was changed since. What turns changed is not here but in
// their sessions.
//
// Contract: architecture, "A change of project files".
package undo

import (
	"cmp"
	"context"
	"errors"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/workspace/changeset"
)

// Options say where changes are on record, and who takes part in them.
type Options struct {
	changeset.Writer
	// Dir is the folder of the records, in the state folder.
	Dir    string
	Record changeset.Recorder[Change]
	Clock  func() time.Time
	// NewID makes ids that sort by time: letters, digits and dashes.
	NewID func() string
	// Keep is how many changes of a project can be taken back; default 20.
	Keep int
}

// Store makes changes and takes them back. It is safe for concurrent use, by any
// number of processes with the same state folder.
type Store struct{ o Options }

// New returns a store.
func New(o Options) *Store {
	o.Keep = cmp.Or(o.Keep, 20)
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
// somebody else changes the project for too long. It is refused with INVALID_REQUEST for a
// file that was not there or is to go: a record has no place for one, and its undo would
// leave an empty file.
func (s *Store) Make(ctx context.Context, project, what, by string, files []changeset.File) (Change, error) {
	r := record{Version: recordVersion, Change: Change{ID: s.o.NewID(), Project: project, Time: s.o.Clock().UTC(), What: what, By: by}}
	size := 0
	for _, f := range files {
		if f.Before == nil || f.After == nil {
			return r.Change, fault.New(fault.InvalidRequest, "the change makes or removes %s, which could not be taken back", fault.Clip(f.Path)).With("paths", []string{f.Path}).
				WithHint("make or remove the file by hand, and change only files that are there")
		}
		size += len(f.Before)
		r.Paths = append(r.Paths, f.Path)
		r.Files = append(r.Files, was{f.Path, f.Before, changeset.Hash(f.After)})
	}
	if size > maxBytes {
		return r.Change, fault.New(fault.InvalidRequest, "the files have more than %d bytes together, more than could be taken back", maxBytes)
	}
	p, err := s.o.Open(ctx, project, r.Paths...)
	if err != nil {
		return r.Change, err
	}
	defer p.Close()
	err = s.o.Record.Make(ctx, "change", r.Change, func() error {
		if err := s.save(project, r); err != nil {
			return err
		}
		err := p.Apply(ctx, what, by, files)
		if err != nil && !errors.Is(err, journal.ErrUnsettled) { // which may be made yet
			err = errors.Join(err, s.forget(project, r.ID))
		}
		return err
	})
	if err == nil {
		s.prune(project)
	}
	return r.Change, err
}

// Undo takes back a change, the last one still in effect where id is "". It is
// refused with NOT_FOUND where there is none, with CONTENT_CHANGED where one of its
// files was changed since, and with INVALID_REQUEST where the last one is not in effect: its
// process died before it was made, or somebody put the files back by hand. Then nothing is
// changed, and the next call is about the change before it.
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
	var files []changeset.File
	var changed []string
	for _, f := range r.Files {
		now, err := p.Read(f.Path, maxBytes)
		switch {
		case err == nil && changeset.Hash(now) == f.After:
			files = append(files, changeset.File{Path: f.Path, Before: now, After: f.Before})
		case err == nil && changeset.Hash(now) == changeset.Hash(f.Before): // it is back already
		default:
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
		err := p.Apply(ctx, back.What, by, files)
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
	if err == nil && len(files) == 0 && id == "" && !finishes {
		err = fault.New(fault.InvalidRequest, "the last change (%s) is not in effect: its files are as they were before it", fault.Clip(r.What)).
			WithHint("belay undo --list lists the changes; belay undo takes back the one before it")
	}
	return r.Change, err
}

// List are the changes of a project on record, the latest first.
func (s *Store) List(ctx context.Context, project string) ([]Change, error) {
	all := []Change{}
	for _, id := range s.ids(project) {
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
			err = fault.New(fault.InvalidRequest, "that change was taken back already, %s", r.Undone.Format(time.RFC3339)).WithHint("list the changes with belay undo --list")
		}
		return r, err
	}
	for _, id := range s.ids(project) {
		if ctx.Err() != nil {
			return record{}, context.Cause(ctx)
		}
		if r, err := s.load(project, id); err != nil || r.Undone == nil {
			return r, err
		}
	}
	return record{}, fault.New(fault.NotFound, "no change of this project can be taken back here").
		WithHint("what a turn changed is taken back with belay session undo")
}
