package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	jsonv2 "github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"belay/internal/durable"
)

// listCache is what a state folder remembers of a folder with sessions, so that
// the page of a list need not read every session: what orders each, and how its
// transcript looked, which says all that the record does. The file may be removed
// at any time. A session whose transcript looks different is read again.
type listCache struct {
	V int `json:"v"`
	// Folder is where the sessions lie, for people.
	Folder   string      `json:"folder"`
	Sessions []listEntry `json:"sessions"`
}

// listEntry is one session of a list's cache.
type listEntry struct {
	sortKey
	// Size and Changed are of the transcript, or, of a session that has none, of
	// session.json. The latter is in nanoseconds.
	Size    int64 `json:"size"`
	Changed int64 `json:"changed"`
	// Project is set where all sessions share one folder.
	Project string `json:"project,omitempty"`
}

// fits reports whether the entry was made from a file that looked like this one.
func (e *listEntry) fits(info fs.FileInfo) bool {
	return e.Size == info.Size() && e.Changed == info.ModTime().UnixNano()
}

// listVersion is the version of the cache's file; another one is not read.
const listVersion = 1

// rows returns all sessions of a project for a list. It reads those that the
// cache does not have as they are now. Those that cannot be used are read each
// time: what is wrong with them may be fixed in any of their files.
func (s *lists) rows(ctx context.Context, project string, ids []string) ([]row, error) {
	folder := filepath.Dir(s.store.paths.pathIn(project, "x").folder())
	known, infos, err := s.known(ctx, folder, ids)
	if err != nil {
		return nil, err
	}
	fresh := listCache{V: listVersion, Folder: folder, Sessions: make([]listEntry, 0, len(ids))}
	rows := make([]row, 0, len(ids))
	changed := len(known) > len(ids)
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info := infos[i]
		if e := known[id]; info != nil && e != nil && e.fits(info) {
			fresh.Sessions = append(fresh.Sessions, *e)
			if e.Project == "" || e.Project == project {
				rows = append(rows, row{e.sortKey, nil})
			}
			continue
		}
		p := s.store.paths.pathIn(project, id)
		found, err := s.look(p, id)
		if err != nil {
			return nil, err
		}
		if found.in(p, project) {
			rows = append(rows, row{keyOf(found.rec), found.rec})
		}
		if info != nil && found.rec != nil && found.problem == nil {
			e := listEntry{sortKey: keyOf(found.rec), Size: info.Size(), Changed: info.ModTime().UnixNano()}
			if !p.inProject() {
				e.Project = found.rec.ProjectRoot
			}
			fresh.Sessions = append(fresh.Sessions, e)
			changed = true
		}
	}
	if changed {
		_ = s.writeList(fresh) // without it the next list reads more
	}
	return rows, nil
}

// known returns what the cache of a folder knows, and how each session's file looks
// now. Several goroutines look, because the looks are most of a long list's time.
func (s *lists) known(ctx context.Context, folder string, ids []string) (known map[string]*listEntry, infos []fs.FileInfo, err error) {
	const atOnce = 250
	infos = make([]fs.FileInfo, len(ids))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	g.Go(func() error {
		known = s.readList(folder)
		return nil
	})
	for from := 0; from < len(ids); from += atOnce {
		part := ids[from:min(from+atOnce, len(ids))]
		g.Go(func() error {
			for i, id := range part {
				infos[from+i] = lookAt(folder, id)
			}
			return ctx.Err()
		})
	}
	err = g.Wait()
	return known, infos, err
}

// lookAt says how the file looks that a session's entry is made from: its transcript,
// or session.json where it has none. It is nil where none can be reached.
func lookAt(folder, id string) fs.FileInfo {
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

// listPath is where the cache of a folder lies in the state folder.
func listPath(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return dirLists + "/" + hex.EncodeToString(sum[:16])
}

// readList returns what the cache of a folder knows of its sessions, by id. A
// lost, torn or older cache knows nothing.
func (s *lists) readList(folder string) map[string]*listEntry {
	c, ok := s.openList(listPath(folder))
	if !ok || c.Folder != folder {
		return nil
	}
	known := make(map[string]*listEntry, len(c.Sessions))
	for i := range c.Sessions {
		known[c.Sessions[i].ID] = &c.Sessions[i]
	}
	return known
}

func (s *lists) openList(name string) (c listCache, ok bool) {
	b, _, err := durable.ReadFile(s.store.stateDir.Root(), name, maxList)
	if err != nil {
		return c, false
	}
	sum, body, _ := bytes.Cut(b, []byte("\n"))
	ok = string(sum) == checksum(body) && jsonv2.Unmarshal(body, &c, likeV1) == nil && c.V == listVersion
	return c, ok
}

// gcLists removes the caches of folders that are gone.
func (g *gc) gcLists() error {
	s := g.store
	names, err := list(s.stateDir.Root(), dirLists)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		c, ok := s.lists.openList(dirLists + "/" + name)
		if !ok || g.o.DryRun {
			continue
		}
		if _, err := os.Lstat(c.Folder); unreached(err) {
			errs = append(errs, removeIfThere(s.stateDir.Root(), dirLists+"/"+name))
		}
	}
	return errors.Join(errs...)
}

// maxList bounds what is read of a cache: some 500,000 sessions.
const maxList = 64 << 20

// writeList replaces a cache: a line with the checksum, then JSON.
func (s *lists) writeList(c listCache) error {
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode a list: %w", err)
	}
	b := append([]byte(checksum(body)+"\n"), body...)
	return durable.WriteFile(s.store.stateDir.Root(), listPath(c.Folder), b, 0o600, durable.SessionList)
}
