//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// deed is one call that a killed process leaves whole or not begun.
type deed struct {
	scenario
	// do makes the call, and returns what its answer promises.
	do func(w *world, a *app.App) (promise, error)
	// look checks the files that a kill left, before an engine sees them.
	look func(w *world, before, now tree) error
	// check makes sure that the call was done whole or not begun, and reports which.
	check func(w *world, a *app.App) (done bool, err error)
	// once checks the answer to a second call, nil where that is as the first.
	once func(error) error
	// gone is set where nothing is to be left of the known session.
	gone bool
}

func findDeed(name string) *deed {
	return &deeds[slices.IndexFunc(deeds, func(d deed) bool { return d.name == name })]
}

var deeds = []deed{
	{
		scenario: scenario{name: "fork", script: oneWrite, setup: withHistory},
		do: func(w *world, a *app.App) (promise, error) {
			rec, err := a.Engine.Fork(context.Background(), changes.ForkRequest{SessionID: w.known})
			return promise{Kind: "entries", Session: rec.SessionID}, err
		},
		look:  func(_ *world, before, now tree) error { return untouched(before, now, "") },
		check: forksAreWhole,
	},
	{
		scenario: scenario{name: "delete", script: oneWrite, setup: withHistory},
		do: func(w *world, a *app.App) (promise, error) {
			return promise{Kind: "deleted", Session: w.known}, a.Engine.Delete(context.Background(), w.known)
		},
		look:  func(w *world, before, now tree) error { return untouched(before, now, w.known) },
		check: deletedOrWhole,
		once: func(err error) error {
			if !isGone(err) {
				return fmt.Errorf("the deleted session is deleted again: %w", err)
			}
			return nil
		},
		gone: true,
	},
	{
		scenario: scenario{name: "upload", script: oneWrite, setup: withHistory},
		do: func(w *world, a *app.App) (promise, error) {
			up, err := a.Engine.Upload(context.Background(), turn.Upload{ProjectRoot: w.project, Name: "a.txt", Content: strings.NewReader(uploaded)})
			return promise{Kind: "content", Path: up.Path, SHA256: digest([]byte(uploaded))}, err
		},
		look:  func(_ *world, before, now tree) error { return untouched(before, now, "") },
		check: uploadsAreWhole,
	},
	{
		scenario: scenario{name: "undo", script: changing, setup: withChanges},
		do: func(w *world, a *app.App) (promise, error) {
			sets, err := a.Engine.Changes(context.Background(), w.known, "")
			if err != nil || len(sets) != 1 {
				return promise{}, fmt.Errorf("%d turns changed files: %w", len(sets), err)
			}
			p := promise{Kind: "undone", Session: w.known, Turn: sets[0].Turn}
			_, err = a.Engine.Undo(context.Background(), changes.UndoRequest{SessionID: w.known, TurnID: p.Turn, By: "the person"})
			return p, err
		},
		look:  func(w *world, _, _ tree) error { return filesAreOldOrNew(w) },
		check: undoneOrNot,
	},
}

// uploaded is more than one write.
var uploaded = strings.Repeat("uploaded ", 20_000)

// withHistory makes a session that nothing happens to, and one with turns, of which
// one was asked about and allowed for the session.
func withHistory(w *world, a *app.App) {
	first(w, a)
	withFolder(w, a)
	w.ask(a, permit.VerdictAllowSession)
}

// untouched checks that the files of every session but one are as they were.
func untouched(before, now tree, but string) error {
	folder := filepath.Join("project", ".belay", "sessions")
	for name, content := range before {
		in := strings.HasPrefix(name, folder) && (but == "" || !strings.Contains(name, but))
		if is, there := now[name]; in && (!there || is != content) {
			return fmt.Errorf("%s was changed, there: %v", name, there)
		}
	}
	return nil
}

// others are the sessions that the setup did not make.
func (w *world) others(a *app.App) (all []session.Record, err error) {
	recs, err := a.Engine.List(context.Background(), w.project)
	for _, r := range recs {
		if r.Damaged != "" {
			return nil, fmt.Errorf("the session %s is damaged: %s", r.SessionID, r.Damaged)
		}
		if r.ForkedFrom != nil {
			all = append(all, r)
		}
	}
	return all, err
}

// forksAreWhole checks that each fork has all turns, and goes on.
func forksAreWhole(w *world, a *app.App) (done bool, err error) {
	forks, err := w.others(a)
	if err != nil {
		return false, err
	}
	from, err := a.Engine.Transcript(context.Background(), w.known)
	if err != nil {
		return false, err
	}
	for _, f := range forks {
		entries, err := a.Engine.Transcript(context.Background(), f.SessionID)
		if err != nil {
			return false, err
		}
		if f.ForkedFrom.SessionID != w.known || len(entries) < len(from) {
			return false, fmt.Errorf("the fork of %s has %d of %d entries", f.ForkedFrom.SessionID, len(entries), len(from))
		}
		for i, e := range from {
			if entries[i].Kind != e.Kind || entries[i].Turn != e.Turn || entries[i].Message != e.Message || len(entries[i].Blocks) != len(e.Blocks) {
				return false, fmt.Errorf("entry %d of the fork is %s of %s, want %s of %s", i, entries[i].Kind, entries[i].Turn, e.Kind, e.Turn)
			}
		}
		if err := w.goesOn(a, f.SessionID); err != nil {
			return false, err
		}
	}
	return len(forks) > 0, nil
}

// goesOn runs one more turn in a session.
func (w *world) goesOn(a *app.App, id string) error {
	events, err := say(a, turn.Request{SessionID: id, Message: "and on"})
	if err != nil {
		return fmt.Errorf("the session %s does not go on: %w", id, err)
	}
	if last := events[len(events)-1]; !last.Ends() || !strings.Contains(string(last.Data), `"exitCode":0`) {
		return fmt.Errorf("the session %s goes on with %s", id, last.Data)
	}
	return nil
}

// deletedOrWhole checks that the known session is gone, or has all of its turns.
func deletedOrWhole(w *world, a *app.App) (done bool, err error) {
	if err := hasSession(a, w.known); isGone(err) {
		return true, promise{Kind: "deleted", Session: w.known}.holds(w, a)
	}
	entries, err := a.Engine.Transcript(context.Background(), w.known)
	if err != nil {
		return false, err
	}
	turns := 0
	for _, e := range entries {
		if e.Kind == session.EntryTurn {
			turns++
		}
	}
	if turns < 2 {
		return false, fmt.Errorf("the transcript has %d turns", turns)
	}
	return false, errors.Join(isGranted(w, a), os.Remove(filepath.Join(w.project, "more.txt")))
}

// undoneOrNot checks that all files are as before the turn or as it left them, and
// that the record says which.
func undoneOrNot(w *world, a *app.App) (done bool, err error) {
	sets, err := a.Engine.Changes(context.Background(), w.known, "")
	if err != nil || len(sets) != 1 {
		return false, fmt.Errorf("%d turns changed files: %w", len(sets), err)
	}
	if done = sets[0].Undone != nil; done {
		return true, w.isUndone(a, sets[0].Turn)
	}
	for name, is := range changed {
		if data, err := os.ReadFile(filepath.Join(w.project, name)); err != nil || string(data) != is.after {
			return false, fmt.Errorf("the record has no undo, and %s has %q: %w", name, data, err)
		}
	}
	return false, nil
}

// uploadsAreWhole checks every upload that has its name.
func uploadsAreWhole(w *world, a *app.App) (done bool, err error) {
	names, err := filepath.Glob(filepath.Join(w.project, ".belay", "uploads", "[^.]*", "*"))
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if data, err := os.ReadFile(name); err != nil || string(data) != uploaded || filepath.Base(name) != "a.txt" {
			return false, fmt.Errorf("%s has %d bytes: %w", name, len(data), err)
		}
	}
	folders, err := filepath.Glob(filepath.Join(w.project, ".belay", "uploads", "[^.]*"))
	if err == nil && len(folders) != len(names) {
		err = fmt.Errorf("%d uploads have %d files", len(folders), len(names))
	}
	return len(names) > 0, errors.Join(err, w.goesOn(a, w.known))
}
