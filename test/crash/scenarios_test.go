//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/session"
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
		name:   "steering",
		script: "turns:\n  - when: wait\n    steps:\n      - say: I wait.\n      - wait: 10m\n",
		work: func(w *world, a *app.App) {
			id := w.create(a)
			s, err := a.Engine.Start(context.Background(), turn.Request{SessionID: id, Message: "wait"})
			must(w.t, err)
			events, err := s.Next(context.Background())
			must(w.t, err)
			for _, e := range events {
				w.note(step{ack: id, seen: []event.Event{e}})
			}
			for _, in := range []turn.SteerRequest{
				{SessionID: id, Message: "turn left", Mode: session.Steer}, {SessionID: id, Message: "and then park", Mode: session.FollowUp},
			} {
				must(w.t, a.Engine.Steer(context.Background(), in))
				w.acknowledged(string(in.Mode), said(id, in.Message))
			}
			must(w.t, a.Engine.Interrupt(context.Background(), id, ""))
			_, err = drain(s, func(e event.Event) { w.note(step{ack: id, seen: []event.Event{e}}) })
			must(w.t, err)
			must(w.t, s.Close())
			w.turn(a, turn.Request{SessionID: id, Message: "and on"})
		},
	},
	{
		name:   "follow-up taken",
		script: "turns:\n  - when: one\n    steps:\n      - call: {name: list, input: {path: .}}\n      - wait: 1s\n      - call: {name: list, input: {path: .}}\n      - say: Done.\n",
		setup:  func(w *world, a *app.App) { w.first(a) },
		work: func(w *world, a *app.App) {
			s, err := a.Engine.Start(context.Background(), turn.Request{SessionID: w.known, Message: "one"})
			must(w.t, err)
			sent := false
			_, err = drain(s, func(e event.Event) {
				w.note(step{ack: w.known, seen: []event.Event{e}})
				if e.Type == event.ToolResult && !sent {
					sent = true
					must(w.t, a.Engine.Steer(context.Background(), turn.SteerRequest{SessionID: w.known, Message: "go on", Mode: session.FollowUp}))
					w.acknowledged("follow-up", said(w.known, "go on"))
				}
			})
			must(w.t, err)
			must(w.t, s.Close())
		},
	},
	{
		name: "upload",
		work: func(w *world, a *app.App) {
			up, err := a.Engine.Upload(context.Background(), turn.Upload{ProjectRoot: w.project, Name: "a.txt", Content: strings.NewReader("uploaded\n")})
			must(w.t, err)
			w.acknowledged("the upload", func(*world, *app.App) error {
				data, err := os.ReadFile(up.Path)
				if err == nil && string(data) != "uploaded\n" {
					err = fmt.Errorf("the upload has %q", data)
				}
				return err
			})
		},
	},
	{
		name:  "fork",
		setup: func(w *world, a *app.App) { w.first(a) },
		work: func(w *world, a *app.App) {
			rec, err := a.Engine.Fork(context.Background(), turn.ForkRequest{SessionID: w.known})
			must(w.t, err)
			w.acknowledged("the fork", func(_ *world, a *app.App) error {
				entries, err := a.Engine.Transcript(context.Background(), rec.SessionID)
				if err == nil && len(entries) == 0 {
					err = fmt.Errorf("the fork is empty")
				}
				return err
			})
			w.turn(a, turn.Request{SessionID: rec.SessionID, Message: "elsewhere"})
		},
	},
	{
		name:  "delete",
		setup: func(w *world, a *app.App) { w.first(a) },
		work: func(w *world, a *app.App) {
			must(w.t, a.Engine.Delete(context.Background(), w.known))
			w.acknowledged("the delete", func(w *world, a *app.App) error {
				if err := hasSession(a, w.known); !isGone(err) {
					return fmt.Errorf("the session is back: %w", err)
				}
				return nil
			})
		},
	},
	{
		name: "import",
		setup: func(w *world, a *app.App) {
			w.first(a)
			must(w.t, a.Store.Export(context.Background(), w.known, &w.archive))
		},
		work: func(w *world, a *app.App) {
			got, err := a.Store.Import(context.Background(), bytes.NewReader(w.archive.Bytes()), w.project)
			must(w.t, err)
			w.acknowledged("the import", func(_ *world, a *app.App) error {
				entries, err := a.Engine.Transcript(context.Background(), got.SessionID)
				if err == nil && len(entries) == 0 {
					err = fmt.Errorf("the import is empty")
				}
				return err
			})
		},
	},
	{
		name:  "boot",
		setup: func(w *world, a *app.App) { w.first(a) },
		work: func(w *world, a *app.App) {
			done, err := a.Engine.Boot(context.Background(), turn.BootRequest{SessionID: w.known})
			must(w.t, err)
			w.acknowledged("the boot", func(w *world, a *app.App) error {
				rec, err := a.Engine.Get(context.Background(), w.known)
				if err == nil && rec.BootFingerprint != done.Boot.BootFingerprint {
					err = fmt.Errorf("the fingerprint is %q", rec.BootFingerprint)
				}
				return err
			})
		},
	},
	{
		name: "attachment",
		work: func(w *world, a *app.App) { w.attach(a, w.create(a)) },
	},
	{
		name:  "attachment in a known session",
		setup: func(w *world, a *app.App) { w.first(a) },
		work:  func(w *world, a *app.App) { w.attach(a, w.known) },
	},
}

// said checks that something that a person said is in the transcript, once the
// turn that it was said into has its end.
func said(id, message string) check {
	return func(_ *world, a *app.App) error {
		if err := a.Engine.Resume(context.Background(), id); err != nil {
			return err
		}
		entries, err := a.Engine.Transcript(context.Background(), id)
		if err != nil {
			return err
		}
		n := 0
		for _, e := range entries {
			if e.Kind == session.EntryInput && e.Message == message {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("the transcript has the input %d times", n)
		}
		return nil
	}
}

// attach sends a file in a turn.
func (w *world) attach(a *app.App, id string) {
	path := filepath.Join(w.project, "notes.txt")
	must(w.t, os.WriteFile(path, []byte("attached\n"), 0o600))
	w.turn(a, turn.Request{SessionID: id, Message: "look", Attachments: []string{path}})
	w.acknowledged("the attachment", func(_ *world, a *app.App) error { return hasBlob(a, id) })
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

// points are the names of the flushes of all scenarios, with the scenarios that
// have them.
func points(all map[*scenario][]step) map[string][]*scenario {
	found := map[string][]*scenario{}
	for s, steps := range all {
		known := map[string]bool{}
		for _, st := range steps {
			if st.op != nil && st.op.Point != "" && !known[st.op.Point] {
				known[st.op.Point] = true
				found[st.op.Point] = append(found[st.op.Point], s)
			}
		}
	}
	return found
}

// Each flush is needed: a disk that lies about it loses something. So is each name
// in the table of files: a kept file whose flushes no scenario has is not tested.
func TestEachFlushIsNeeded(t *testing.T) {
	all, worlds, disks := map[*scenario][]step{}, map[*scenario]*world{}, map[*scenario]*disk{}
	for i := range scenarios {
		s := &scenarios[i]
		worlds[s], disks[s], all[s] = s.run(t)
	}
	found := points(all)
	for _, f := range durable.Files() {
		if f.Class == durable.Kept && found[f.ContentPoint()] == nil && found[f.FolderPoint()] == nil {
			t.Errorf("no scenario flushes a %s", f.Name)
		}
	}
	for _, point := range slices.Sorted(maps.Keys(found)) {
		needed := false
		for _, s := range found[point] {
			if broken := worlds[s].crashes(disks[s], all[s], point); len(broken) > 0 {
				t.Logf("without %q, %s: %s", point, s.name, broken[0])
				needed = true
				break
			}
		}
		if !needed {
			t.Errorf("nothing is lost without the flush %q", point)
		}
	}
}

// everyTurnIsTold takes a session up as a server does and checks that its log has
// each turn from session:init to process:exit, unless it says that some is lost.
func everyTurnIsTold(a *app.App, id string) error {
	if err := a.Engine.Resume(context.Background(), id); err != nil {
		return err
	}
	_, last, err := a.Store.Bounds(context.Background(), id)
	if err != nil {
		return err
	}
	r, err := a.Store.Reader(context.Background(), id, 0)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	running := ""
	for r.After() < last {
		events, err := r.Next(context.Background())
		if err != nil {
			return err
		}
		for _, e := range events {
			switch {
			case e.Type == event.LogGap:
				return nil
			case e.Between():
			case running == "" && e.Type != event.SessionInit:
				return fmt.Errorf("the turn %s begins with %s", e.Turn, e.Type)
			case e.Ends():
				running = ""
			default:
				running = e.Turn
			}
		}
	}
	if running != "" {
		return fmt.Errorf("the turn %s has no end", running)
	}
	return nil
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
		if err := everyTurnIsTold(a, r.SessionID); err != nil {
			return fmt.Errorf("log of %s: %w", r.SessionID, err)
		}
	}
	return nil
}
