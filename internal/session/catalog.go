package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/fault"
)

// Catalog is a view of all sessions of a store for who lists and searches many of them. It
// reads and never changes a session. It is safe for concurrent use.
type Catalog struct{ store *Store }

// Catalog returns the store's.
func (s *Store) Catalog() Catalog { return Catalog{s} }

// Row is a session in a list of many, found without reading it.
type Row struct {
	ID, ProjectRoot string
	Created, Used   time.Time
	// Damaged is set where the session cannot be used.
	Damaged bool
	// Version differs once the session's transcript has changed.
	Version RowVersion
}

// RowVersion is how a session's transcript looked.
type RowVersion struct{ size, changed, used int64 }

// Rows returns the sessions of a project, in no order. It looks at those that may have
// changed since the last list, as [Store.ListPage] does. A project that is gone has none.
func (c Catalog) Rows(ctx context.Context, projectRoot string) ([]Row, error) {
	project, err := checkRoot(projectRoot)
	if err != nil {
		return nil, nil //nolint:nilerr // its sessions are gone with it
	}
	cache := c.store.lists.recall(c.store.paths.sessionsOf(project))
	ids, names, err := c.store.lists.names(cache, project)
	if err != nil {
		return nil, storage("the project's sessions cannot be listed", err)
	}
	found, err := c.store.lists.rows(ctx, project, cache, ids, names, lookNewestOfMany)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(found))
	for i, f := range found {
		rows[i] = Row{
			ID: f.ID, ProjectRoot: project, Created: time.UnixMilli(f.Created).UTC(), Used: time.UnixMilli(f.Updated).UTC(),
			Damaged: f.size == unusable, Version: RowVersion{f.size, f.changed, f.Updated},
		}
	}
	return rows, nil
}

// Read returns the record of a row, nil where the session is gone. A session that cannot
// be used is a record that says why.
func (c Catalog) Read(r Row) (*Record, error) {
	look := c.store.lists.looker(r.ProjectRoot)
	defer look.close()
	found, err := look.at(r.ID)
	return found.rec, err
}

// Running reports whether a turn of a session runs, in whichever process.
func (c Catalog) Running(id string) bool {
	_, _, running := c.store.Signals.Running(id)
	return running
}

// Projects are the folders that are known to have sessions, or had some, sorted.
func (c Catalog) Projects() []string {
	all := c.store.paths.knownProjects()
	slices.Sort(all)
	return all
}

// AddProject makes a folder one of [Catalog.Projects], also after a power cut.
func (c Catalog) AddProject(projectRoot string) error {
	project, err := checkRoot(projectRoot)
	if err != nil {
		return err
	}
	return storage("the project could not be recorded", c.store.paths.knowProject(project))
}

// ForgetProject takes a folder out of [Catalog.Projects]. Nothing in the folder changes, and the
// next turn in it makes it known again. A folder that has records of belay is INVALID_REQUEST:
// retention covers those of known projects alone, and agents of a folder around it do not see
// them. NOT_FOUND where the folder is not known.
func (c Catalog) ForgetProject(ctx context.Context, projectRoot string) error {
	if !slices.Contains(c.store.paths.knownProjects(), projectRoot) {
		return fault.New(fault.NotFound, "belay does not know the project %s", fault.Clip(projectRoot)).
			With("projectRoot", fault.Clip(projectRoot)).WithHint("see the known ones with belay projects")
	}
	has := func() bool {
		_, err := os.Lstat(filepath.Join(projectRoot, dirBelay))
		return !missing(err)
	}
	refusal := fault.New(fault.InvalidRequest, "the project has records of belay").With("projectRoot", fault.Clip(projectRoot)).
		WithHint("delete its sessions with belay session delete, then remove its folder .belay, which also has its workflow runs and kept changes")
	rows, err := c.Rows(ctx, projectRoot) // they may lie elsewhere
	switch {
	case err != nil:
		return err
	case len(rows) > 0 || has():
		return refusal
	}
	if err := c.store.paths.forgetProject(projectRoot); err != nil {
		return storage("the project could not be forgotten", err)
	}
	if has() { // a session was made meanwhile
		return errors.Join(refusal, c.AddProject(projectRoot))
	}
	return nil
}

// Changes tells whether sessions may have changed between two looks: a belay wrote to one
// of their transcripts, or sessions were made or removed in one of the projects.
// Two looks that are equal saw the same sessions. Where the table of uses cannot be
// read it tells nothing of the former.
func (c Catalog) Changes(projects []string) [sha256.Size]byte {
	hash := sha256.New()
	_, _ = hash.Write(c.store.uses.read()) // it does not fail
	for _, p := range projects {
		info, err := os.Stat(c.store.paths.sessionsOf(p))
		if err == nil {
			_, _ = fmt.Fprintln(hash, p, info.ModTime().UnixNano())
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
