package session

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"time"
)

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
func (s *Store) Rows(ctx context.Context, projectRoot string) ([]Row, error) {
	project, err := checkRoot(projectRoot)
	if err != nil {
		return nil, nil //nolint:nilerr // its sessions are gone with it
	}
	cache := s.lists.recall(s.paths.sessionsOf(project))
	ids, names, err := s.lists.names(cache, project)
	if err != nil {
		return nil, storage("the project's sessions cannot be listed", err)
	}
	found, err := s.lists.rows(ctx, project, cache, ids, names, lookNewestOfMany)
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
func (s *Store) Read(r Row) (*Record, error) {
	look := s.lists.looker(r.ProjectRoot)
	defer look.close()
	found, err := look.at(r.ID)
	return found.rec, err
}

// Projects are the folders that are known to have sessions, or had some, sorted.
func (s *Store) Projects() []string {
	all := s.paths.knownProjects()
	slices.Sort(all)
	return all
}

// AddProject makes a folder one of [Store.Projects], also after a power cut.
func (s *Store) AddProject(projectRoot string) error {
	project, err := checkRoot(projectRoot)
	if err != nil {
		return err
	}
	return storage("the project could not be recorded", s.paths.knowProject(project))
}

// Changes tells whether sessions may have changed between two looks: a belay wrote to one
// of their transcripts, or sessions were made or removed in one of the projects.
// Two looks that are equal saw the same sessions. Where the table of uses cannot be
// read it tells nothing of the former.
func (s *Store) Changes(projects []string) [sha256.Size]byte {
	hash := sha256.New()
	_, _ = hash.Write(s.uses.read()) // it does not fail
	for _, p := range projects {
		info, err := os.Stat(s.paths.sessionsOf(p))
		if err == nil {
			_, _ = fmt.Fprintln(hash, p, info.ModTime().UnixNano())
		}
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
