package session

import (
	"bytes"
	"time"

	"belay/internal/durable"
)

// TurnChanges is what a turn of a session changed in its project, or that this was taken back.
type TurnChanges struct {
	Turn string
	// At is when it changed the last of them.
	At Time
	// Undone is set where the entry says that earlier changes of the turn were taken back.
	Undone bool
	// By is who took them back, "" where nobody said so.
	By string
	// Paths are the first files, relative to the project, at most [MaxTurnPaths]; Files counts
	// all.
	Paths []string
	Files int
}

// MaxTurnPaths is how many files one [TurnChanges] names.
const MaxTurnPaths = 5

// ChangesAfter reads a session's transcript for what its turns changed after a time, the
// oldest first. Lines without changes are not decoded. It returns how many bytes it read.
func (c Catalog) ChangesAfter(r Row, after time.Time) (all []TurnChanges, read int64, err error) {
	f, err := openTranscript(c.store.paths.pathIn(r.ProjectRoot, r.ID))
	if f == nil || err != nil {
		return nil, 0, unreadable(r.ID, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t := turnChanges{after: after}
	read, err = durable.Scan(f, maxLine, func(line []byte, _ int64) error {
		t.take(line)
		return nil
	})
	return t.all, read, unreadable(r.ID, err)
}

// turnChanges collects the changes of turns. seen are the paths of the last of all.
type turnChanges struct {
	after time.Time
	all   []TurnChanges
	seen  map[string]bool
}

// undoKind begins an undo, as it is written.
var undoKind = []byte(`"kind":"undo"`)

// take takes a line into account.
func (t *turnChanges) take(line []byte) {
	undo := bytes.Contains(line, undoKind)
	if !undo && !bytes.Contains(line, []byte(`"changes":[`)) {
		return
	}
	e, err := parseEntry(line)
	if err != nil || !e.Time.After(t.after) {
		return // the store's checks report what is damaged
	}
	switch {
	case e.Kind == EntryUndo:
		t.all = append(t.all, TurnChanges{Turn: e.Turn, At: e.Time, Undone: true, By: e.By, Paths: e.Paths[:min(len(e.Paths), MaxTurnPaths)], Files: len(e.Paths)})
	case e.Kind != EntryIntent && len(e.Changes) > 0:
		t.add(&e)
	}
}

// add adds the changes of an entry to those of its turn.
func (t *turnChanges) add(e *Entry) {
	if n := len(t.all); n == 0 || t.all[n-1].Turn != e.Turn || t.all[n-1].Undone {
		t.all, t.seen = append(t.all, TurnChanges{Turn: e.Turn}), map[string]bool{}
	}
	one := &t.all[len(t.all)-1]
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Restored || t.seen[c.Path] {
			continue
		}
		t.seen[c.Path] = true
		one.At = e.Time
		if one.Files++; len(one.Paths) < MaxTurnPaths {
			one.Paths = append(one.Paths, c.Path)
		}
	}
	if one.Files == 0 { // all were taken back at once
		t.all = t.all[:len(t.all)-1]
	}
}
