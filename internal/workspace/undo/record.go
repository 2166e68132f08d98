package undo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/changeset"
)

// record is a change as it is on the disk. It is not the journal's record of the same
// change: the journal is for changes under way. Anyone who opens a project completes each
// record that it has and drops it with its contents ([journal.Tx.Done]), and the old
// contents are in the project until then. A change that can be taken back weeks later
// would have to be left out of that, and of the journal's bounds, under rules of its
// own.
type record struct {
	Version int `json:"version"`
	Change
	Files []was `json:"files"`
	// Undoing is set before the files are put back: one whose process died meanwhile is
	// finished, and nothing else is taken back in its place.
	Undoing bool `json:"undoing,omitempty"`
}

// was is a file as it was: Before is null where there was none.
type was struct {
	Path   string `json:"path"`
	Before []byte `json:"before"`
	// After is the hash of what it became, "" for no file.
	After string `json:"after"`
}

// stateOf is the hash of a content, "" for no file.
func stateOf(data []byte) string {
	if data == nil {
		return ""
	}
	return changeset.Hash(data)
}

const (
	// recordVersion 2 has files that were not there before.
	recordVersion = 2
	recordSuffix  = ".json"
	// maxRecord caps a record, maxBytes the files of one change together.
	maxRecord = 1 << 30
	maxBytes  = 512 << 20
)

// place is the folder of a project's records.
func (s *Store) place(project string) string {
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		real = project
	}
	return filepath.Join(s.o.Dir, changeset.Hash([]byte(real))[:32])
}

// ids are those of the records, the latest first.
func (s *Store) ids(project string) ([]string, error) {
	entries, err := os.ReadDir(s.place(project))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.StorageFailure, "the records of changes cannot be read").Because(err).
			WithHint("check the permissions of %s and its disk", s.o.Dir)
	}
	var all []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), recordSuffix); ok && !strings.HasPrefix(id, ".") {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return all, nil
}

func (s *Store) load(project, id string) (r record, err error) {
	if !filepath.IsLocal(id) || strings.ContainsAny(id, `/\`) {
		return r, notFound(id)
	}
	root, err := os.OpenRoot(s.place(project))
	if errors.Is(err, fs.ErrNotExist) {
		return r, notFound(id)
	} else if err != nil {
		return r, err
	}
	defer root.Close()
	data, _, err := durable.ReadFile(root, id+recordSuffix, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, notFound(id)
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && (r.Version < 1 || r.Version > recordVersion) {
		err = fmt.Errorf("it is of version %d", r.Version)
	}
	if err != nil {
		return r, fault.New(fault.StorageFailure, "the record of the change %s cannot be read", id).WithStatus(500).Because(err).
			WithHint("belay undo --list has the others, which can be named; remove %s if it is of no more use", filepath.Join(s.place(project), id+recordSuffix))
	}
	return r, nil
}

func notFound(id string) error {
	return fault.New(fault.NotFound, "the project has no change %q on record", fault.Clip(id)).WithHint("list the changes with belay undo --list")
}

// record is what a change of files puts on record.
func (s *Store) record(project, what, by string, files []changeset.File) (record, error) {
	r := record{Version: recordVersion, Change: Change{ID: s.o.NewID(), Project: project, Time: s.o.Clock().UTC(), What: what, By: by}}
	size := 0
	for _, f := range files {
		size += len(f.Before)
		r.Paths = append(r.Paths, f.Path)
		r.Files = append(r.Files, was{f.Path, f.Before, stateOf(f.After)})
	}
	if size > maxBytes {
		return r, fault.New(fault.InvalidRequest, "the files have more than %d bytes together, more than could be taken back", maxBytes)
	}
	return r, nil
}

// keep puts a change on record that is about to be made.
func (s *Store) keep(r record) (id string, settle func(made bool) error, err error) {
	if err := s.save(r.Project, r); err != nil {
		_ = s.forget(r.Project, r.ID) // it may have its name, and not be durable
		return "", nil, err
	}
	return r.ID, func(made bool) error {
		if !made {
			return s.forget(r.Project, r.ID)
		}
		s.prune(r.Project)
		return nil
	}, nil
}

// isUndone is the error about a change that was taken back.
func (r *record) isUndone() error {
	return fault.New(fault.InvalidRequest, "that change (%s) was taken back already, %s; nothing was done now", fault.Clip(r.What), r.Undone.Format(time.RFC3339)).
		WithHint("list the changes with belay undo --list")
}

func (s *Store) save(project string, r record) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = s.write(project, r.ID+recordSuffix, data)
	}
	if err != nil {
		return fault.New(fault.StorageFailure, "the change could not be put on record, so that it could be taken back").Because(err)
	}
	return nil
}

func (s *Store) write(project, name string, data []byte) error {
	dir := s.place(project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return durable.WriteFile(root, name, data, 0o600, durable.Undo)
}

// forget drops the record of a change that was not made.
func (s *Store) forget(project, id string) error {
	root, err := os.OpenRoot(s.place(project))
	if err != nil {
		return err
	}
	defer root.Close()
	return durable.Remove(root, id+recordSuffix)
}

// prune drops the oldest records. One that stays is dropped the next time.
func (s *Store) prune(project string) {
	ids, _ := s.ids(project)
	for i, id := range ids {
		if i >= s.o.Last {
			_ = s.forget(project, id)
		}
	}
}
