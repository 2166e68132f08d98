//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/journal/journaltest"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// changing is a turn that changes the files of changed.
const changing = `turns:
  - when: change
    steps:
      - call: {name: edit, input: {path: texts/a.txt, edits: [{old: one, new: two}]}}
      - call: {name: read, input: {path: docs/b.txt}}
      - call: {name: write, input: {path: docs/b.txt, content: "written\n"}}
      - call: {name: write, input: {path: new/deep/c.txt, content: "new\n"}}
      - say: Changed.
`

// changed are the files of that turn: before it, "" for none, and after it.
var changed = map[string]struct{ before, after string }{
	"texts/a.txt":    {"one\n", "two\n"},
	"docs/b.txt":     {"typed\n", "written\n"},
	"new/deep/c.txt": {"", "new\n"},
}

// fileScenarios change files of a project by the tools, and take that back.
var fileScenarios = []scenario{
	{
		name: "file tools", script: changing, setup: withFiles,
		work: func(w *world, a *app.App) {
			w.typed()
			w.change(a)
			for name, is := range changed {
				path := filepath.Join(w.project, name)
				if data, err := os.ReadFile(path); w.failed != nil && (err != nil || string(data) != is.after) {
					continue // the model was told why
				}
				w.unchanged("the changed file", path)
			}
		},
		onDisk: filesAreOldOrNew,
		always: changesAreOnRecord,
	},
	{
		name: "undo", script: changing,
		setup: withChanges,
		work: func(w *world, a *app.App) {
			done, err := a.Engine.Undo(context.Background(), changes.UndoRequest{SessionID: w.known, TurnID: w.lastChange(a), By: "the person"})
			w.try(err)
			w.acknowledged("the undo", func(w *world, a *app.App) error { return w.isUndone(a, done.TurnID) })
		},
		onDisk: filesAreOldOrNew,
		always: changesAreOnRecord,
	},
}

// withFiles is first in a project with files.
func withFiles(w *world, a *app.App) {
	withFolder(w, a)
	emptyFiles(w)
}

// withChanges is withFiles after the turn that changes them.
func withChanges(w *world, a *app.App) {
	withFiles(w, a)
	w.typed()
	w.change(a)
}

// typed fills the files as a person's editor does that flushes nothing.
func (w *world) typed() {
	w.t.Helper()
	for name, is := range changed {
		if is.before == "" {
			continue
		}
		path := filepath.Join(w.project, name)
		if w.retries { // it may have been changed
			w.try(os.Truncate(path, 0))
		}
		w.try(overwrite(path, is.before))
	}
}

func overwrite(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(durable.WriteAt(f, []byte(content), 0, durable.Cache), f.Close())
}

// emptyFiles makes the files that typed fills.
func emptyFiles(w *world) {
	for name, is := range changed {
		if is.before != "" {
			must(w.t, os.MkdirAll(filepath.Dir(filepath.Join(w.project, name)), 0o700))
			must(w.t, os.WriteFile(filepath.Join(w.project, name), nil, 0o600))
		}
	}
}

func (w *world) change(a *app.App) {
	w.t.Helper()
	w.turn(a, turn.Request{SessionID: w.known, Message: "change", Opts: turn.Opts{Mode: "acceptEdits"}})
}

// lastChange is the turn that changed files.
func (w *world) lastChange(a *app.App) string {
	w.t.Helper()
	sets, err := a.Engine.Changes(context.Background(), w.known, "")
	w.try(err)
	last, ok := changes.LastStanding(sets)
	if !ok && w.retries {
		panic(errStopped) // what failed was done all the same
	}
	if !ok {
		w.t.Fatal("no turn changed files")
	}
	return last.Turn
}

// changesAreOnRecord checks what somebody finds who looks next: the transcript has
// every change that was made, and no other. An undo is done wholly or not at all.
// Then the turn can be taken back.
func changesAreOnRecord(w *world, a *app.App) error {
	ctx := context.Background()
	sets, err := a.Engine.Changes(ctx, w.known, "")
	if err != nil {
		return err
	}
	said := map[string]bool{}
	for _, s := range sets {
		for _, c := range s.Changes {
			said[c.Path] = s.Undone == nil
		}
	}
	lost := false
	for name, is := range changed {
		data, err := os.ReadFile(filepath.Join(w.project, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if string(data) != is.before && string(data) != is.after {
			lost = true // a person never flushed it: see filesAreOldOrNew
			continue
		}
		if really := string(data) == is.after; really != said[name] {
			return fmt.Errorf("%s has %q, and the record says that it was changed: %v", name, data, said[name])
		}
	}
	left, err := journaltest.Left(filepath.Join(w.state, "journal"), w.project)
	if err != nil || len(left) > 0 {
		return errors.Join(fmt.Errorf("there is still %v", left), err)
	}
	switch {
	case lost:
		return nil // an undo would put it over what is there now
	case len(said) == 0:
		return w.noFolderIsLeft()
	}
	if _, err := a.Engine.Undo(ctx, changes.UndoRequest{SessionID: w.known, TurnID: sets[len(sets)-1].Turn}); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return w.isUndone(a, sets[len(sets)-1].Turn)
}

// noFolderIsLeft checks that there is no folder of a file that is not there.
func (w *world) noFolderIsLeft() error {
	_, err := os.Lstat(filepath.Join(w.project, "new"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(errors.New("a folder is left"), err)
}

// isUndone checks that the files of a turn are as before it, and that the record
// and the audit log say so.
func (w *world) isUndone(a *app.App, id string) error {
	sets, err := a.Engine.Changes(context.Background(), w.known, id)
	if err == nil && (len(sets) != 1 || sets[0].Undone == nil) {
		err = errors.New("the record does not have the undo")
	}
	if err != nil {
		return err
	}
	for _, c := range sets[0].Changes {
		before := changed[c.Path].before
		data, err := os.ReadFile(filepath.Join(w.project, c.Path))
		if string(data) != before || (err == nil) != (before != "") {
			return fmt.Errorf("%s has %q after the undo, there: %v", c.Path, data, err == nil)
		}
	}
	log, err := os.ReadFile(app.AuditPath(w.state))
	if err == nil && !strings.Contains(string(log), `"kind":"undo"`) {
		err = errors.New("the audit log does not have the undo")
	}
	return errors.Join(err, w.noFolderIsLeft(), auditIsWhole(w, a))
}
