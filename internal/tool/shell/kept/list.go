package kept

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/journal"
)

// Listed is a change in a list. Of one that cannot be read only the id is known, and
// why.
type Listed struct {
	Record
	Err error
}

// List returns the changes of a project, the oldest first; those that cannot be read
// come last.
func List(project *os.Root) (all []Listed, err error) {
	entries, err := fs.ReadDir(project.FS(), dirChanges)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !Has(project, e.Name()) {
			continue
		}
		r, err := read(project, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // just applied or dropped
		}
		if err != nil {
			r = Record{ID: e.Name()}
		}
		all = append(all, Listed{r, err})
	}
	slices.SortStableFunc(all, func(a, b Listed) int {
		if a.Err == nil && b.Err == nil {
			return a.Created.Compare(b.Created)
		}
		return cmp.Compare(rank(a.Err), rank(b.Err))
	})
	return all, err
}

func rank(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// Sweep removes what is left of changes whose processes died before their record was
// written, or while they were removed.
func Sweep(project *os.Root) error {
	entries, err := fs.ReadDir(project.FS(), dirChanges)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	seen := ""
	for _, e := range entries {
		id := strings.TrimSuffix(e.Name(), lockSuffix)
		if id == seen || !idPattern.MatchString(id) || Has(project, id) {
			continue
		}
		seen = id // its folder comes right before its lock
		l, lockErr := lock(project, id)
		if lockErr != nil {
			continue // somebody makes or removes it
		}
		if Has(project, id) {
			err = errors.Join(err, l.Unlock())
			continue
		}
		c := &Change{Record: Record{ID: id}, project: project, lock: l}
		err = errors.Join(err, c.Remove())
	}
	return err
}

// Drop removes a change, also one whose record is damaged. One of a newer version is
// left to that; the errors are those of [Open].
func Drop(project *os.Root, id string) error {
	if !Has(project, id) {
		return fmt.Errorf("the change %q: %w", id, fs.ErrNotExist)
	}
	l, err := lock(project, id)
	if err != nil {
		return err
	}
	c := &Change{Record: Record{ID: id}, project: project, lock: l}
	newer := (*durable.NewerError)(nil)
	switch _, err := read(project, id); {
	case errors.As(err, &newer):
		return errors.Join(err, c.Close())
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(err, c.release(true)) // somebody has just removed it
	}
	return c.Remove()
}

// Check reads the contents of changes. A [*journal.ContentError] names one that is not
// what the command made.
func (c *Change) Check(ctx context.Context, changes []journal.Change) error {
	for i := range changes {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s := &changes[i]
		if s.Content == nil {
			continue
		}
		sum, err := hash(s.Content)
		if errors.Is(err, fs.ErrNotExist) || err == nil && sum != s.After.SHA256 {
			return &journal.ContentError{Path: s.Path}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func hash(open func() (io.ReadCloser, error)) (string, error) {
	f, err := open()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
