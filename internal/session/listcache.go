package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"belay/internal/durable"
)

// listCache is what is remembered of a folder with sessions, so that the page of a
// list need not look at every session: what orders each, and how its transcript
// looked, which says all that the record does. A process keeps it in memory, and
// leaves it in the state folder for others. The file may be removed at any time. A
// cache that was handed out does not change any more.
type listCache struct {
	V int `json:"v"`
	// Folder is where the sessions lie, for people.
	Folder string `json:"folder"`
	// Names is the folder's time of change, in nanoseconds, if sessions has all
	// that are in a folder of that time; see [lists.names].
	Names int64 `json:"names,omitempty"`
	// Uses is the file of [uses] that the entries go by, Boot the time of the system in
	// which that was.
	Uses uint64 `json:"uses,omitempty"`
	Boot string `json:"boot,omitempty"`
	// Looked is when every session was looked at last.
	Looked time.Time `json:"looked"`

	// sessions are all, the one that was used last first. In the file each has a line.
	sessions []listEntry
}

// listEntry is one session of a list's cache.
type listEntry struct {
	sortKey
	// Size and Changed are of the transcript, or, of a session that has none, of
	// session.json. The latter is in nanoseconds. Of a session that cannot be used Size
	// is unusable.
	Size    int64
	Changed int64
	// Use is the number of the session's slot before that was found.
	Use uint64
	// Project is set where all sessions share one folder.
	Project string
}

// unusable is the size of what is read for every list: what is wrong with it may be
// fixed in any of its files.
const unusable = -1

// fits reports whether the entry was made from a file that looked like this one.
func (e *listEntry) fits(info os.FileInfo) bool {
	return info != nil && e.Size == info.Size() && e.Changed == info.ModTime().UnixNano()
}

// encode appends the entry as a line.
func (e *listEntry) encode(b []byte) []byte {
	b = append(b, e.ID...)
	for _, n := range []int64{e.Created, e.Updated, e.Size, e.Changed} {
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	b = strconv.AppendUint(append(b, ' '), e.Use, 10)
	if e.Project != "" {
		b = strconv.AppendQuote(append(b, ' '), e.Project)
	}
	return append(b, '\n')
}

// decodeEntry reads such a line.
func decodeEntry(line string) (e listEntry, err error) {
	e.ID, line, _ = strings.Cut(line, " ")
	for _, to := range []*int64{&e.Created, &e.Updated, &e.Size, &e.Changed} {
		var n string
		n, line, _ = strings.Cut(line, " ")
		if *to, err = strconv.ParseInt(n, 10, 64); err != nil {
			return e, err
		}
	}
	n, project, shared := strings.Cut(line, " ")
	if shared {
		if e.Project, err = strconv.Unquote(project); err != nil {
			return e, err
		}
	}
	e.Use, err = strconv.ParseUint(n, 10, 64)
	return e, err
}

// listVersion is the version of the cache's file; another one is not read.
const listVersion = 2

// listPath is where the cache of a folder lies in the state folder.
func listPath(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return dirLists + "/" + hex.EncodeToString(sum[:16])
}

// maxList bounds what is read of a cache: some 500,000 sessions.
const maxList = 64 << 20

// openList reads the file of a cache: a line with the checksum, one with the cache as
// JSON, and the sessions.
func (s *lists) openList(name string) (*listCache, bool) {
	b, _, err := durable.ReadFile(s.store.stateDir.Root(), name, maxList)
	if err != nil {
		return nil, false
	}
	sum, body, _ := bytes.Cut(b, []byte("\n"))
	if string(sum) != checksum(body) {
		return nil, false
	}
	head, lines, _ := bytes.Cut(body, []byte("\n"))
	c := &listCache{}
	if json.Unmarshal(head, c) != nil || c.V != listVersion {
		return nil, false
	}
	c.sessions = make([]listEntry, 0, bytes.Count(lines, []byte("\n")))
	for line := range strings.Lines(string(lines)) {
		e, err := decodeEntry(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, false
		}
		c.sessions = append(c.sessions, e)
	}
	return c, true
}

// writeList replaces the file of a cache.
func (s *lists) writeList(c *listCache) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	for i := range c.sessions {
		body = c.sessions[i].encode(body)
	}
	b := append([]byte(checksum(body)+"\n"), body...)
	return durable.WriteFile(s.store.stateDir.Root(), listPath(c.Folder), b, 0o600, durable.SessionList)
}

// recall returns what is remembered of a folder. A lost, torn or older file knows
// nothing.
func (s *lists) recall(folder string) *listCache {
	s.mu.Lock()
	c := s.recent[folder]
	s.mu.Unlock()
	if c != nil {
		return c
	}
	if c, ok := s.openList(listPath(folder)); ok && c.Folder == folder {
		return c
	}
	return &listCache{V: listVersion, Folder: folder}
}

// maxRecent is of how many folders the cache is in memory. More begin anew. A list of the
// sessions of all projects uses one for each.
const maxRecent = 256

// remember keeps a cache in memory.
func (s *lists) remember(c *listCache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recent == nil || len(s.recent) >= maxRecent && s.recent[c.Folder] == nil {
		s.recent = map[string]*listCache{}
	}
	s.recent[c.Folder] = c
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
