package session

import (
	"context"
	"os"
	"path"
	"sync"
)

// List returns the records of a project's sessions, oldest first. A session that
// cannot be used is in it, too, with the reason ([Record.Damaged]). Listing also
// brings sessions back into the index that are not in it or were moved.
func (s *Store) List(ctx context.Context, projectRoot string) ([]Record, error) {
	page, err := s.ListPage(ctx, projectRoot, ListOptions{})
	return page.Records, err
}

// ListPage is List of a part of the sessions. It reads these sessions. Of the others it
// looks at those that may have changed: see [lists.rows].
func (s *Store) ListPage(ctx context.Context, projectRoot string, o ListOptions) (Page, error) {
	if _, err := o.after(); err != nil {
		return Page{}, err
	}
	project, err := checkRoot(projectRoot)
	if err != nil {
		return Page{}, err
	}
	const failed = "the project's sessions cannot be listed"
	if o.Limit <= 0 {
		ids, err := s.paths.folders(project)
		if err != nil {
			return Page{}, storage(failed, err)
		}
		return s.lists.whole(ctx, project, ids, o)
	}
	cache := s.lists.recall(s.paths.sessionsOf(project))
	ids, names, err := s.lists.names(cache, project)
	if err != nil {
		return Page{}, storage(failed, err)
	}
	if ids != nil && len(ids) <= o.Limit {
		return s.lists.whole(ctx, project, ids, o)
	}
	rows, err := s.lists.rows(ctx, project, cache, ids, names, lookNewest)
	if err != nil {
		return Page{}, err
	}
	var page Page
	if rows, page.Next, page.More, err = o.cut(rows); err != nil {
		return Page{}, err
	}
	moved, err := s.lists.read(ctx, project, rows, &page)
	if err == nil && moved { // so were the others, or the index was lost
		ids, err = s.paths.folders(project)
		if err == nil {
			_, err = s.lists.survey(ctx, project, ids)
		}
	}
	return page, err
}

// whole is a page of all sessions, read anew.
func (s *lists) whole(ctx context.Context, project string, ids []string, o ListOptions) (Page, error) {
	recs, err := s.survey(ctx, project, ids)
	if err != nil {
		return Page{}, err
	}
	return PageOf(recs, o)
}

// read puts the records of rows on a page. Moved says that the index did not lead to
// one of them.
func (s *lists) read(ctx context.Context, project string, rows []row, page *Page) (moved bool, err error) {
	look := s.looker(project)
	defer look.close()
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return moved, err
		}
		rec := rows[i].rec
		if rec == nil {
			found, err := look.at(rows[i].ID)
			if err != nil {
				return moved, err
			}
			rec, moved = found.rec, moved || found.healed
		}
		if rec != nil {
			page.Records = append(page.Records, *rec)
		}
	}
	return moved, nil
}

// seen is a session as a list finds it.
type seen struct {
	rec *Record // nil where no session is there any more
	// problem says why it cannot be used, and then the record says that, too.
	problem error
	// healed is set where the index did not lead to it.
	healed bool
}

// in reports whether a list of the project has the session. One that cannot be
// used may be of any project where all share one folder.
func (f seen) in(p sessionPath, project string) bool {
	return f.rec != nil && (p.inProject() || f.problem != nil || f.rec.ProjectRoot == project)
}

// lists makes lists of a project's sessions.
type lists struct {
	store *Store

	mu sync.Mutex
	// recent are the caches of folders that were listed, by folder.
	recent map[string]*listCache
}

// looker reads records of a project's sessions for a list.
type looker struct {
	lists   *lists
	project string
	// folder has the sessions. It is nil where it cannot be opened: what that means,
	// each session's own folder says.
	folder *os.Root
}

func (s *lists) looker(project string) *looker {
	l := &looker{lists: s, project: project}
	p := l.path("x")
	if base, err := os.OpenRoot(p.base); err == nil {
		l.folder, _ = base.OpenRoot(path.Dir(p.rel))
		_ = base.Close()
	}
	return l
}

func (l *looker) close() {
	if l.folder != nil {
		_ = l.folder.Close()
	}
}

// path is where a session is.
func (l *looker) path(id string) sessionPath { return l.lists.store.paths.pathIn(l.project, id) }

// at looks at a session.
func (l *looker) at(id string) (seen, error) {
	p := l.path(id)
	rec, err := l.record(p, id)
	if missing(err) {
		return seen{}, nil // no session, or deleted meanwhile
	}
	if err != nil {
		rec := l.lists.damaged(p, id, err)
		return seen{rec: &rec, problem: err}, nil
	}
	rec, healed, err := l.lists.heal(p, rec)
	return seen{rec: &rec, healed: healed}, err
}

func (l *looker) record(p sessionPath, id string) (Record, error) {
	if l.folder == nil {
		return readRecordAt(p, id)
	}
	root, err := l.folder.OpenRoot(id)
	if err != nil {
		return Record{}, err
	}
	defer func() { _ = root.Close() }()
	rec, _, err := readRecord(root, id)
	return rec, err
}

// survey reads all records of a project, oldest first.
func (s *lists) survey(ctx context.Context, project string, ids []string) ([]Record, error) {
	var recs []Record
	look := s.looker(project)
	defer look.close()
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := look.at(id)
		if err != nil {
			return nil, err
		}
		if !found.in(look.path(id), project) {
			continue
		}
		recs = append(recs, *found.rec)
	}
	page, err := PageOf(recs, ListOptions{})
	return page.Records, err
}
