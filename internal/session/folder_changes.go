package session

import (
	"bytes"
	"strings"

	"belay/internal/durable"
)

// FolderChanges is what a session changed in a folder of its project.
type FolderChanges struct {
	// Turns are those that changed something, the oldest first, and Last is when the last
	// of them did. Changes that were taken back count: somebody may look for them.
	Turns []string
	Last  Time
	// Paths are the files, relative to the project, at most [MaxFolderChanges], in the order in
	// which they were changed first.
	Paths []string
}

// MaxFolderChanges is how many files one [FolderChanges] names.
const MaxFolderChanges = 20

// changesMember begins the changes of an entry, as they are written.
var changesMember = []byte(`"changes":[`)

// ChangesIn reads a session's transcript for changes of files in a folder, which is relative
// to the project, with slashes. Lines without changes are not decoded. It returns how many
// bytes it read.
func (c Catalog) ChangesIn(r Row, folder string) (t FolderChanges, read int64, err error) {
	f, err := openTranscript(c.store.paths.pathIn(r.ProjectRoot, r.ID))
	if f == nil || err != nil {
		return t, 0, unreadable(r.ID, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	seen := map[string]bool{}
	read, err = durable.Scan(f, maxLine, func(line []byte, _ int64) error {
		if bytes.Contains(line, changesMember) {
			t.take(line, strings.TrimSuffix(folder, "/")+"/", seen)
		}
		return nil
	})
	return t, read, unreadable(r.ID, err)
}

// take takes a line into account.
func (t *FolderChanges) take(line []byte, prefix string, seen map[string]bool) {
	e, err := parseEntry(line)
	if err != nil || e.Kind == EntryIntent {
		return // the store's checks report what is damaged
	}
	for _, c := range e.Changes {
		if !strings.HasPrefix(c.Path, prefix) {
			continue
		}
		if n := len(t.Turns); n == 0 || t.Turns[n-1] != e.Turn {
			t.Turns = append(t.Turns, e.Turn)
		}
		t.Last = e.Time
		if !seen[c.Path] && len(t.Paths) < MaxFolderChanges {
			seen[c.Path] = true
			t.Paths = append(t.Paths, c.Path)
		}
	}
}
