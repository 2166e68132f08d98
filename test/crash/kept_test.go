//go:build crashtest

package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/tool/shell/kept"
	"belay/internal/tool/shell/overlay"
	"belay/internal/turn"
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

func (w *world) keptRequest() turn.KeptRequest {
	return turn.KeptRequest{ProjectRoot: w.project, ID: keptID, By: "the person"}
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
	entries, err := a.Engine.Transcript(context.Background(), w.known)
	must(w.t, err)
	root, err := os.OpenRoot(w.project)
	must(w.t, err)
	defer func() { must(w.t, root.Close()) }()
	must(w.t, os.WriteFile(filepath.Join(w.project, "a.txt"), []byte(keptFiles["a.txt"].before), 0o600))
	upper, err := overlay.Make(root)
	must(w.t, err)
	dir, _ := upper.Folders()
	for name, is := range keptFiles {
		path := filepath.Join(w.project, dir, name)
		must(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(w.t, os.WriteFile(path, []byte(is.after), 0o600))
	}
	set, err := upper.Changes(context.Background())
	must(w.t, err)
	c, err := kept.Hold(root, upper, kept.Record{
		ID: keptID, Created: time.Now(), Changes: set.Changes, Effect: permit.Effect{Tool: "bash", Done: &permit.Done{}},
		Origin: tool.Origin{SessionID: w.known, TurnID: entries[0].Turn, CallID: "call", ChangeID: keptID},
	})
	must(w.t, err)
	must(w.t, c.Close())
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
	made := 0
	for name, is := range keptFiles {
		data, err := os.ReadFile(filepath.Join(w.project, name))
		switch {
		case string(data) == is.after:
			made++
		case string(data) != is.before || err != nil && is.before != "":
			return fmt.Errorf("%s has %q, %w", name, data, err)
		}
	}
	if made != 0 && made != len(keptFiles) {
		return fmt.Errorf("%d files were changed", made)
	}
	if recorded := len(sets) > 0; recorded != (made > 0) {
		return fmt.Errorf("the files are changed: %v, on record: %v", made > 0, recorded)
	}
	if _, err := a.Engine.ApplyKept(context.Background(), w.keptRequest()); err != nil && (made == 0 || !fault.Is(err, fault.NotFound)) {
		return fmt.Errorf("apply it: %w", err)
	}
	return keptIsApplied(w, a)
}
