package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"belay/internal/durable"
	"belay/internal/journal"
)

// Open takes up a change. The error is fs.ErrNotExist where there is none of that id,
// [ErrBusy] while somebody else has it.
func Open(project *os.Root, id string) (_ *Change, err error) {
	if !Has(project, id) {
		return nil, fmt.Errorf("the change %q: %w", id, fs.ErrNotExist)
	}
	c := &Change{project: project}
	if c.lock, err = lock(project, id); err != nil {
		return nil, err
	}
	if c.Record, err = read(project, id); err != nil {
		return nil, errors.Join(err, c.release(!Has(project, id)))
	}
	c.open()
	return c, nil
}

// Look reads a change that somebody else may be at work on. It can only be looked at,
// and need not be closed.
func Look(project *os.Root, id string) (_ *Change, err error) {
	if !Has(project, id) {
		return nil, fmt.Errorf("the change %q: %w", id, fs.ErrNotExist)
	}
	c := &Change{project: project}
	if c.Record, err = read(project, id); err != nil {
		return nil, err
	}
	c.open()
	return c, nil
}

// Has reports whether there is a change of that id.
func Has(project *os.Root, id string) bool {
	if !idPattern.MatchString(id) {
		return false
	}
	_, err := project.Lstat(path.Join(folder(id), fileRecord))
	return err == nil
}

// Awaits is the id of the question that decides on a change, "" where there is none, and where
// the change is kept for later or cannot be read.
func Awaits(project *os.Root, id string) string {
	if !Has(project, id) {
		return ""
	}
	r, err := read(project, id)
	if err != nil {
		return ""
	}
	return r.Question
}

func read(project *os.Root, id string) (Record, error) {
	name := path.Join(folder(id), fileRecord)
	data, _, err := durable.ReadFile(project, name, maxRecord)
	if err != nil {
		return Record{}, err
	}
	if err := durable.CheckVersion(name, data, version); err != nil {
		return Record{}, err
	}
	var r versioned
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("%s is damaged: %w", name, err)
	}
	if r.ID != id {
		return Record{}, fmt.Errorf("%s is that of another change", name)
	}
	if err := journal.Check(r.Changes, true); err != nil { // it may have come with the project
		return Record{}, fmt.Errorf("%s is damaged: %w", name, err)
	}
	return r.Record, nil
}

func lock(project *os.Root, id string) (*durable.FileLock, error) {
	l, err := durable.Lock(filepath.Join(project.Name(), folder(id)+lockSuffix))
	if errors.Is(err, durable.ErrLocked) {
		return nil, ErrBusy
	}
	return l, err
}
