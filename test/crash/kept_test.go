//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
	"belay/internal/turn/changes"
)

const keptID = "chg_0123456789abcdef"

// keptFiles are the files of a kept change: before it, "" for none, and after it.
var keptFiles = map[string]struct{ before, after string }{
	"a.txt":     {"one\n", "two\n"},
	"sub/b.txt": {"", "new\n"},
}

// keptScenarios are about what commands changed and what is not real yet.
var keptScenarios = []scenario{
	{
		name: "kept change", setup: withKept,
		work: func(w *world, a *app.App) {
			_, err := a.Engine.ApplyKept(context.Background(), w.keptRequest())
			w.decided(err)
			w.acknowledged("the kept change", keptIsApplied)
		},
		always: keptIsWhole,
	},
	{
		name: "kept change of a moment ago", setup: func(w *world, a *app.App) {
			first(w, a)
			must(w.t, os.WriteFile(filepath.Join(w.project, "a.txt"), []byte(keptFiles["a.txt"].before), 0o600))
		},
		work: func(w *world, a *app.App) {
			made, err := keptIsMade(w)
			w.try(err)
			if _, err := os.Lstat(filepath.Join(w.project, ".belay/changes", keptID)); err != nil && !made {
				w.try(hold(w, a)) // it was not held before
			}
			_, err = a.Engine.ApplyKept(context.Background(), w.keptRequest())
			w.decided(err)
			w.acknowledged("the kept change", keptIsApplied)
		},
		always: func(w *world, a *app.App) error {
			if _, err := a.Engine.Changes(context.Background(), w.known, ""); err != nil {
				return err
			}
			_, err := keptIsMade(w)
			return err
		},
	},
	{
		name: "dropped change", setup: withKept,
		work: func(w *world, a *app.App) {
			_, err := a.Engine.DropKept(context.Background(), w.keptRequest())
			w.decided(err)
			w.survivesKill("the drop", func(w *world, a *app.App) error {
				_, err := a.Engine.KeptChange(context.Background(), w.project, keptID)
				if fault.Is(err, fault.NotFound) {
					return nil
				}
				return fmt.Errorf("it is there: %w", err)
			})
		},
		always: func(w *world, a *app.App) error {
			for name, is := range keptFiles {
				if data, err := os.ReadFile(filepath.Join(w.project, name)); string(data) != is.before || err != nil && is.before != "" {
					return fmt.Errorf("%s has %q, %w", name, data, err)
				}
			}
			_, err := a.Engine.DropKept(context.Background(), w.keptRequest())
			if fault.Is(err, fault.NotFound) {
				return nil
			}
			return err
		},
	},
}

func (w *world) keptRequest() changes.KeptRequest {
	return changes.KeptRequest{ProjectRoot: w.project, ID: keptID, By: "the person"}
}

// decided passes what was done already where it is tried again.
func (w *world) decided(err error) {
	w.t.Helper()
	if w.retries && fault.Is(err, fault.NotFound) {
		panic(errStopped)
	}
	w.try(err)
}

// withKept is first in a project that has a kept change of the first turn.
func withKept(w *world, a *app.App) {
	first(w, a)
	must(w.t, os.WriteFile(filepath.Join(w.project, "a.txt"), []byte(keptFiles["a.txt"].before), 0o600))
	must(w.t, hold(w, a))
}

// hold makes a kept change of the first turn. Nothing of it is flushed.
func hold(w *world, a *app.App) (err error) {
	entries, err := a.Engine.Transcript(context.Background(), w.known)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(w.project)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	upper, err := overlay.Make(root)
	if err != nil {
		return err
	}
	held := false
	defer func() {
		if !held {
			err = errors.Join(err, upper.Remove())
		}
	}()
	dir, _ := upper.Folders()
	for name, is := range keptFiles {
		name = path.Join(dir, name)
		if err := durable.MkdirAll(root, path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := durable.WriteNew(root, name, []byte(is.after), 0o600, durable.KeptChange); err != nil {
			return err
		}
	}
	set, err := upper.Changes(context.Background())
	if err != nil {
		return err
	}
	c, err := kept.Hold(root, upper, kept.Record{
		ID: keptID, Created: time.Now(), Changes: set.Changes, Effect: permit.Effect{Tool: "bash", Done: &permit.Done{}},
		Origin: tool.Origin{SessionID: w.known, TurnID: entries[0].Turn, CallID: "call", ChangeID: keptID},
	})
	if err != nil {
		return err
	}
	held = true
	return c.Close()
}

// keptIsApplied checks that a kept change is real, and that the transcript and the
// audit log say so.
func keptIsApplied(w *world, a *app.App) error {
	sets, err := a.Engine.Changes(context.Background(), w.known, "")
	if err != nil {
		return err
	}
	for name, is := range keptFiles {
		if data, err := os.ReadFile(filepath.Join(w.project, name)); err != nil || string(data) != is.after {
			return fmt.Errorf("%s has %q, %w", name, data, err)
		}
	}
	if len(sets) != 1 || len(sets[0].Changes) != len(keptFiles) {
		return fmt.Errorf("the record has %+v", sets)
	}
	log, err := os.ReadFile(app.AuditPath(w.state))
	if err == nil && !strings.Contains(string(log), `"kind":"changes"`) {
		err = errors.New("the audit log does not have it")
	}
	return err
}

// keptIsMade reports whether a kept change is real, which it is as a whole or not at all.
func keptIsMade(w *world) (bool, error) {
	made := 0
	for name, is := range keptFiles {
		data, err := os.ReadFile(filepath.Join(w.project, name))
		switch {
		case string(data) == is.after:
			made++
		case string(data) != is.before || err != nil && is.before != "":
			return false, fmt.Errorf("%s has %q, %w", name, data, err)
		}
	}
	if made != 0 && made != len(keptFiles) {
		return false, fmt.Errorf("%d files were changed", made)
	}
	return made > 0, nil
}

// keptIsWhole checks that a kept change is real as a whole and on record, or not at all,
// and that it can be applied now.
func keptIsWhole(w *world, a *app.App) error {
	if k, err := a.Engine.KeptChange(context.Background(), w.project, keptID); err == nil && k.Problem != "" {
		return fmt.Errorf("it is shown as damaged: %s", k.Problem)
	}
	sets, err := a.Engine.Changes(context.Background(), w.known, "")
	if err != nil {
		return err
	}
	made, err := keptIsMade(w)
	if err != nil {
		return err
	}
	if recorded := len(sets) > 0; recorded != (made) {
		return fmt.Errorf("the files are changed: %v, on record: %v", made, recorded)
	}
	if _, err := a.Engine.ApplyKept(context.Background(), w.keptRequest()); err != nil && (!made || !fault.Is(err, fault.NotFound)) {
		return fmt.Errorf("apply it: %w", err)
	}
	return keptIsApplied(w, a)
}
