//go:build crashtest

package crash

import (
	"context"
	"fmt"
	"os"
	"testing"

	"belay/internal/app"
	"belay/internal/turn"
)

// scenario is work during which the machine may fail.
type scenario struct {
	name string
	// script is the scripted provider's side.
	script string
	// setup is done before, and on disk.
	setup func(w *world, a *app.App)
	work  func(w *world, a *app.App)
}

// create makes a session, which survives a kill; its first turn makes it survive
// a power cut.
func (w *world) create(a *app.App) string {
	w.t.Helper()
	rec, err := a.Engine.Create(context.Background(), turn.CreateRequest{ProjectRoot: w.project})
	must(w.t, err)
	w.survivesKill("create "+rec.SessionID, func(_ *world, a *app.App) error { return hasSession(a, rec.SessionID) })
	return rec.SessionID
}

func hasSession(a *app.App, id string) error {
	_, err := a.Engine.Get(context.Background(), id)
	return err
}

var scenarios = []scenario{
	{
		name: "turns",
		work: func(w *world, a *app.App) {
			id := w.create(a)
			w.turn(a, turn.Request{SessionID: id, Message: "one", IdempotencyKey: "key-1", BodyDigest: "1"})
			w.turn(a, turn.Request{SessionID: id, Message: "two", IdempotencyKey: "key-2", BodyDigest: "2"})
		},
	},
	{
		name:  "turn in a known session",
		setup: func(w *world, a *app.App) { w.first(a) },
		work: func(w *world, a *app.App) {
			w.turn(a, turn.Request{SessionID: w.known, Message: "two", IdempotencyKey: "key-2", BodyDigest: "2"})
		},
	},
	{
		name: "attachment",
		work: func(w *world, a *app.App) {
			path := w.project + "/notes.txt"
			must(w.t, os.WriteFile(path, []byte("attached\n"), 0o600))
			id := w.create(a)
			w.turn(a, turn.Request{SessionID: id, Message: "look", Attachments: []string{path}})
			w.acknowledged("the attachment", func(_ *world, a *app.App) error { return hasBlob(a, id) })
		},
	},
}

// first is a session with one turn, made before the scenario begins.
func (w *world) first(a *app.App) {
	rec, err := a.Engine.Create(context.Background(), turn.CreateRequest{ProjectRoot: w.project})
	must(w.t, err)
	_, err = say(a, turn.Request{SessionID: rec.SessionID, Message: "first"})
	must(w.t, err)
	w.known = rec.SessionID
}

// hasBlob checks that the files of a session's turns can be sent again.
func hasBlob(a *app.App, id string) error {
	entries, err := a.Engine.Transcript(context.Background(), id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, it := range e.Attachments {
			r, _, err := a.Engine.Blob(context.Background(), id, it.SHA256)
			if err != nil {
				return err
			}
			if err := r.Close(); err != nil {
				return err
			}
			return nil
		}
	}
	return fmt.Errorf("no turn has an attachment")
}

// Whatever was acknowledged survives a power cut and a kill at every change of a
// file, and no id of an event is given twice.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			w, before, steps := s.run(t)
			for _, problem := range w.crashes(before, steps, "") {
				t.Error(problem)
			}
		})
	}
}

// run carries the scenario out.
func (s scenario) run(t *testing.T) (*world, *disk, []step) {
	t.Helper()
	w := newWorld(t, s.script)
	w.always = append(w.always, everySessionWorks)
	before, steps := w.record(func(a *app.App) {
		if s.setup != nil {
			s.setup(w, a)
		}
	}, func(a *app.App) { s.work(w, a) })
	return w, before, steps
}

// everySessionWorks checks that what is listed can be used. A session without an
// acknowledged turn may have lost all that it was; then the list says so.
func everySessionWorks(w *world, a *app.App) error {
	recs, err := a.Engine.List(context.Background(), w.project)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, r := range recs {
		if r.Damaged != "" {
			continue
		}
		if _, err := a.Engine.Transcript(context.Background(), r.SessionID); err != nil {
			return fmt.Errorf("transcript of %s: %w", r.SessionID, err)
		}
	}
	return nil
}
