package session

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"belay/internal/crash"
)

// What a list looks at beside its page. A change that a belay makes is seen at once,
// by [uses]. One of something else is, too, in the lookNewest sessions that were used
// last; elsewhere the session is where it was in the list for lookAgain at most.
const (
	lookNewest = 200
	lookAgain  = 10 * time.Minute
	// lookNewestOfMany is lookNewest where all projects are listed.
	lookNewestOfMany = 10
	// settledAfter is how old a folder's time of change must be before the same time
	// means the same names: some file systems count in steps of two seconds.
	settledAfter = 3 * time.Second
	// rewriteAfter is how many sessions differ before the file of a cache is replaced.
	rewriteAfter = 32
)

// names returns the ids of a folder's sessions, and the folder's time of change where
// it tells later that these are still all. Where the cache has that time, the ids are
// nil: those of the cache.
func (s *lists) names(c *listCache, project string) (ids []string, at int64, err error) {
	now := time.Now()
	info, err := os.Stat(c.Folder)
	if err == nil {
		at = info.ModTime().UnixNano()
		if at == c.Names {
			return nil, at, nil
		}
		if now.Sub(info.ModTime()) < settledAfter {
			at = 0
		}
	}
	ids, err = s.store.paths.folders(project)
	return ids, at, err
}

// candidate is a session that a list may have.
type candidate struct {
	listEntry
	look bool
	info os.FileInfo // nil where nothing was looked at or found
}

// candidates are the sessions of a folder in the order of the cache, and those that it
// does not have. Without ids they are those of the cache.
func (c *listCache) candidates(ids []string, table useTable, trusted bool, newest int) []candidate {
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	all := make([]candidate, 0, max(len(ids), len(c.sessions)))
	for i := range c.sessions {
		e := &c.sessions[i]
		if ids != nil && !there[e.ID] {
			continue
		}
		delete(there, e.ID)
		look := !trusted || len(all) < newest || e.Size == unusable || e.Use != table.of(e.ID)
		all = append(all, candidate{listEntry: *e, look: look})
	}
	for _, id := range ids {
		if there[id] {
			all = append(all, candidate{listEntry: listEntry{sortKey: sortKey{ID: id}, Size: unusable}, look: true})
		}
	}
	return all
}

// rows returns all sessions of a project for a list. It looks at those that may have
// changed since the cache was made, and reads those that did. Those that cannot be used
// are read each time. The newest are looked at in any case, so many of them.
func (s *lists) rows(ctx context.Context, project string, c *listCache, ids []string, names int64, newest int) ([]row, error) {
	table, now := s.store.uses.read(), time.Now() // first: what is written from here on is for the next list
	uses, boot := table.made(), s.store.o.BootID
	trusted := uses != 0 && uses == c.Uses && boot != "" && boot == c.Boot && !now.Before(c.Looked) && now.Sub(c.Looked) < lookAgain
	all := c.candidates(ids, table, trusted, newest)
	if err := lookAtAll(ctx, c.Folder, all); err != nil {
		return nil, err
	}
	fresh := *c
	fresh.Names, fresh.Uses, fresh.Boot = names, uses, boot
	if !trusted && uses != 0 && boot != "" {
		fresh.Looked = now
	}
	fresh.sessions = make([]listEntry, 0, len(all))
	rows := make([]row, 0, len(all))
	look := s.looker(project)
	defer look.close()
	changed := max(0, len(c.sessions)-len(all))
	for i := range all {
		e := &all[i]
		if !e.look || e.fits(e.info) {
			if e.look && e.Use != table.of(e.ID) {
				e.Use = table.of(e.ID)
				changed++
			}
			fresh.sessions = append(fresh.sessions, e.listEntry)
			if e.Project == "" || e.Project == project {
				rows = append(rows, row{e.sortKey, nil, e.Size, e.Changed})
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := look.path(e.ID)
		found, err := look.at(e.ID)
		if err != nil {
			return nil, err
		}
		if found.rec == nil {
			fresh.Names = 0
			continue
		}
		was := e.listEntry
		e.listEntry = listEntry{sortKey: keyOf(found.rec), Size: unusable, Use: table.of(e.ID)}
		if e.info != nil && found.problem == nil {
			e.Size, e.Changed = e.info.Size(), e.info.ModTime().UnixNano()
		}
		if !p.inProject() {
			e.Project = found.rec.ProjectRoot
		}
		if found.in(p, project) {
			rows = append(rows, row{e.sortKey, found.rec, e.Size, e.Changed})
		}
		if e.listEntry != was {
			changed++
		}
		fresh.sessions = append(fresh.sessions, e.listEntry)
	}
	s.keep(c, &fresh, changed)
	return rows, nil
}

// keep remembers a cache that was brought up to date, and replaces its file where
// that spares the next process something.
func (s *lists) keep(old, fresh *listCache, changed int) {
	if changed > 0 {
		slices.SortFunc(fresh.sessions, func(a, b listEntry) int { return ListOptions{Recent: true}.compare(a.sortKey, b.sortKey) })
	} else {
		fresh.sessions = old.sessions
	}
	s.remember(fresh)
	if changed >= rewriteAfter || fresh.Looked != old.Looked || fresh.Names != old.Names && fresh.Names != 0 {
		_ = s.writeList(fresh) // without it the next process looks at more
	}
}

// lookAtAll looks at the sessions that are to be looked at. Several goroutines do,
// because the looks are most of what such a list takes.
func lookAtAll(ctx context.Context, folder string, all []candidate) error {
	const atOnce = 250
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(all, atOnce) {
		if !slices.ContainsFunc(part, func(c candidate) bool { return c.look }) {
			continue
		}
		g.Go(crash.Caught(func() error {
			for i := range part {
				if part[i].look {
					part[i].info = lookAt(folder, part[i].ID)
				}
			}
			return ctx.Err()
		}))
	}
	return g.Wait()
}

// lookAt says how the file looks that a session's entry is made from: its transcript,
// or session.json where it has none. It is nil where none can be reached.
func lookAt(folder, id string) os.FileInfo {
	const sep = string(filepath.Separator)
	info, err := os.Lstat(folder + sep + id + sep + fileTranscript)
	if unreached(err) {
		info, err = os.Lstat(folder + sep + id + sep + fileRecord)
	}
	if err != nil {
		return nil
	}
	return info
}
