package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
)

// Left reports whether there is a record of the project, of a transaction that is
// not over, or of one that is to be reported to a session. It is cheap where that is
// not so. While a transaction is under way it is true as well.
func (s *Store) Left(project, session string) bool {
	dir, _, err := s.place(project)
	if err != nil {
		return false
	}
	left := false
	_ = each(dir, func(_ string, r *record, err error) { // what cannot be read is reported by Open
		left = left || err != nil || r.Outcome == nil || r.Owner.Session == session
	})
	return left
}

// Stray reports whether the project has contents of a transaction: one that is not
// over, maybe begun where the project was before somebody moved it.
func (s *Store) Stray(project string) bool {
	_, real, err := s.place(project)
	if err != nil {
		return false
	}
	in, _ := os.ReadDir(filepath.Join(real, filepath.FromSlash(dirJournal))) // no folder, no contents
	return slices.ContainsFunc(in, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), keptPrefix) })
}

// each calls see with every record in a folder, or with why it cannot be read. A
// folder that is not there has none.
func each(dir string, see func(name string, r *record, err error)) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var root *os.Root
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), recordSuffix) {
			continue
		}
		if root == nil {
			if root, err = os.OpenRoot(dir); err != nil {
				return err
			}
			defer root.Close()
		}
		r, err := readRecord(root, e.Name())
		if !errors.Is(err, fs.ErrNotExist) { // it is over by now
			see(e.Name(), r, err)
		}
	}
	return nil
}

// Settled are the transactions that a session had begun whose process died, as they
// ended, the oldest first. Each is to be forgotten when it is reported.
func (s *Store) Settled(project, session string) (all []Settled, err error) {
	dir, _, err := s.place(project)
	if err != nil {
		return nil, err
	}
	err = each(dir, func(_ string, r *record, err error) {
		if err == nil && r.Outcome != nil && r.Owner.Session == session {
			all = append(all, settled(r))
		}
	})
	slices.SortStableFunc(all, func(a, b Settled) int { return a.Time.Compare(b.Time) })
	return all, err
}

// Forget drops what was settled: everyone who must know of it does.
func (s *Store) Forget(project string, all ...Settled) error {
	if len(all) == 0 {
		return nil
	}
	dir, _, err := s.place(project)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, t := range all {
		if err := durable.Remove(root, t.ID+recordSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Pending is a transaction of which there is a record: one under way, one that is
// unfinished, or one that is over and was not reported.
type Pending struct {
	Project string
	Owner   Owner
	Time    time.Time
	// Outcome is nil for one that is not over.
	Outcome *Outcome
	// Problem is why the record cannot be read, "" if it can.
	Problem string
}

// Pending lists the transactions of all projects.
func (s *Store) Pending(ctx context.Context) (all []Pending, err error) {
	err = s.places(ctx, func(dir string) error {
		return each(dir, func(name string, r *record, err error) {
			if err != nil {
				all = append(all, Pending{Problem: fmt.Sprintf("%s: %v", filepath.Join(dir, name), err)})
				return
			}
			all = append(all, Pending{Project: string(r.Project), Owner: r.Owner, Time: r.Time, Outcome: r.Outcome})
		})
	})
	return all, err
}

// places calls see with the folder of every project.
func (s *Store) places(ctx context.Context, see func(dir string) error) error {
	dirs, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var errs []error
	for _, d := range dirs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		errs = append(errs, see(filepath.Join(s.dir, d.Name())))
	}
	return errors.Join(errs...)
}

// Sweep removes what nobody will ask for any more: what was settled for sessions
// that are not known, and the folders of projects without a record that were not
// used for a day.
func (s *Store) Sweep(ctx context.Context, known func(session string) bool) error {
	err := s.places(ctx, func(dir string) error {
		lock, err := durable.Lock(filepath.Join(dir, lockFile))
		if errors.Is(err, durable.ErrLocked) {
			return nil
		} else if err != nil {
			return err
		}
		defer func() { _ = lock.Unlock() }() // closing it is all
		rest := 0
		var errs []error
		err = each(dir, func(name string, r *record, err error) {
			if err == nil && r.Outcome != nil && !known(r.Owner.Session) {
				errs = append(errs, os.Remove(filepath.Join(dir, name)))
				return
			}
			rest++
		})
		errs = append(errs, err)
		if info, err := os.Stat(dir); err == nil && rest == 0 && s.clock().Sub(info.ModTime()) > idleAge {
			errs = append(errs, os.RemoveAll(dir))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return fmt.Errorf("sweep the journal: %w", err)
	}
	return nil
}

// idleAge is how long the empty folder of a project's records stays.
const idleAge = 24 * time.Hour

// foreignAge is how old contents without a record of this state folder must be to
// be the leavings of a process of another one.
const foreignAge = 24 * time.Hour

// Sweep removes from the project's folder contents that were kept because of a
// conflict longer ago than age, unless that is 0, and what processes left that used
// another state folder.
func (p *Project) Sweep(age time.Duration) error {
	in, err := p.contents()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range in {
		most := foreignAge
		if strings.HasPrefix(e.Name(), keptPrefix) {
			most = age
		} else if p.s.mine(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil || most <= 0 || p.s.clock().Sub(info.ModTime()) < most {
			continue
		}
		errs = append(errs, durable.RemoveAll(p.in, e.Name()))
	}
	return errors.Join(errs...)
}
