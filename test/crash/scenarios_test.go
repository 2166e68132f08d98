//go:build crashtest

package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// scenario is work during which the machine may fail.
type scenario struct {
	name string
	// env are settings.
	env map[string]string
	// script is the scripted provider's side.
	script string
	// setup is done before, and on disk.
	setup func(w *world, a *app.App)
	work  func(w *world, a *app.App)
	// always holds after a crash at any time.
	always check
	// onDisk holds after a crash at any time before belay sees what is left. Then a
	// flush may be needed for that alone, without anything being acknowledged.
	onDisk func(w *world) error
}

// scenarios are all of them.
var scenarios = slices.Concat(sessionScenarios, questionScenarios, projectScenarios, runScenarios, fileScenarios, keptScenarios, discordScenarios, overviewScenarios, deviceScenarios, settingScenarios, []scenario{journalScenario})

// create makes a session, which survives a kill; its first turn makes it survive
// a power cut.
func (w *world) create(a *app.App) string {
	w.t.Helper()
	rec, err := a.Engine.Create(context.Background(), turn.CreateRequest{ProjectRoot: w.project})
	w.try(err)
	w.survivesKill("create "+rec.SessionID, promise{Kind: "session", Session: rec.SessionID}.holds)
	return rec.SessionID
}

// first is a session with one turn, made before the scenario begins.
func first(w *world, a *app.App) {
	w.known = w.create(a)
	w.turn(a, turn.Request{SessionID: w.known, Message: "first"})
}

// attach sends a file in a turn.
func (w *world) attach(a *app.App, id string) {
	path := filepath.Join(w.project, "notes.txt")
	w.try(os.WriteFile(path, []byte("attached\n"), 0o600))
	w.turn(a, turn.Request{SessionID: id, Message: "look", Attachments: []string{path}})
	w.acknowledged("the attachment", promise{Kind: "blob", Session: id}.holds)
}

// steer says something into a running turn.
func (w *world) steer(a *app.App, r turn.SteerRequest) {
	w.t.Helper()
	if w.retries {
		r.Message += " once more"
	}
	w.try(a.Engine.Steer(context.Background(), r))
	w.acknowledged(string(r.Mode), promise{Kind: "input", Session: r.SessionID, Message: r.Message}.holds)
}

// waits is a turn that has to be interrupted.
const waits = "turns:\n  - when: wait\n    steps:\n      - say: I wait.\n      - wait: 10m\n"

// sessionScenarios are about sessions and turns.
var sessionScenarios = []scenario{
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
		setup: first,
		work: func(w *world, a *app.App) {
			w.turn(a, turn.Request{SessionID: w.known, Message: "two", IdempotencyKey: "key-2", BodyDigest: "2"})
		},
	},
	{
		name:   "steering",
		script: waits,
		work: func(w *world, a *app.App) {
			id := w.create(a)
			k := w.begin(a, turn.Request{SessionID: id, Message: "wait"})
			said := false
			w.end(k, func(e event.Event) {
				if e.Type == event.ChatDelta && !said {
					said = true
					w.steer(a, turn.SteerRequest{SessionID: id, Message: "turn left", Mode: session.Steer})
					w.steer(a, turn.SteerRequest{SessionID: id, Message: "and then park", Mode: session.FollowUp})
					w.try(a.Engine.Interrupt(context.Background(), id, ""))
				}
			})
			w.turn(a, turn.Request{SessionID: id, Message: "and on"})
		},
	},
	{
		name:   "interrupt",
		script: waits,
		setup:  first,
		work: func(w *world, a *app.App) {
			k := w.begin(a, turn.Request{SessionID: w.known, Message: "wait"})
			said := false
			w.end(k, func(e event.Event) {
				if e.Type == event.ChatDelta && !said {
					said = true
					w.try(a.Engine.Interrupt(context.Background(), w.known, ""))
					w.acknowledged("the interrupt", func(_ *world, a *app.App) error {
						return errors.Join(a.Engine.Recovery.Resume(context.Background(), w.known), hasEnded(a, w.known, k.Turn()))
					})
				}
			})
		},
	},
	{
		name:   "follow-up taken",
		script: "turns:\n  - when: one\n    steps:\n      - call: {name: list, input: {path: .}}\n      - wait: 250ms\n      - call: {name: list, input: {path: .}}\n      - say: Done.\n",
		setup:  first,
		work: func(w *world, a *app.App) {
			k := w.begin(a, turn.Request{SessionID: w.known, Message: "one"})
			said := false
			w.end(k, func(e event.Event) {
				if e.Type == event.ToolCall && !said {
					said = true
					w.steer(a, turn.SteerRequest{SessionID: w.known, Message: "go on", Mode: session.FollowUp})
				}
			})
		},
	},
	{
		name: "finished segments",
		env:  map[string]string{"BELAY_LOG_SEGMENT_BYTES": "64KiB"},
		work: func(w *world, a *app.App) {
			id := w.create(a)
			for range 3 {
				k := w.begin(a, turn.Request{SessionID: id, Message: strings.Repeat("a long message, which comes back. ", 1200)})
				w.end(k, nil)
				w.finished(id)
			}
		},
	},
	{
		name: "upload",
		work: func(w *world, a *app.App) { w.upload(a, "a.txt", "uploaded\n") },
	},
	{
		name:  "fork",
		setup: first,
		work: func(w *world, a *app.App) {
			w.turn(a, turn.Request{SessionID: w.fork(a, w.known), Message: "elsewhere"})
		},
	},
	{
		name:  "delete",
		setup: first,
		work:  func(w *world, a *app.App) { w.remove(a, w.known) },
	},
	{
		name: "import",
		setup: func(w *world, a *app.App) {
			first(w, a)
			_, err := a.Store.Archive.Export(context.Background(), w.known, &w.archive)
			must(w.t, err)
		},
		work: func(w *world, a *app.App) { w.take(a) },
	},
	{
		name:  "boot",
		setup: first,
		work: func(w *world, a *app.App) {
			done, err := a.Engine.Boot(context.Background(), turn.BootRequest{SessionID: w.known})
			w.try(err)
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
		setup: first,
		work:  func(w *world, a *app.App) { w.attach(a, w.known) },
	},
}

func (w *world) upload(a *app.App, name, content string) {
	w.t.Helper()
	up, err := a.Engine.Upload(context.Background(), turn.Upload{ProjectRoot: w.project, Name: name, Content: strings.NewReader(content)})
	w.try(err)
	w.acknowledged("the upload", promise{Kind: "content", Path: up.Path, SHA256: digest([]byte(content))}.holds)
}

func (w *world) fork(a *app.App, id string) string {
	w.t.Helper()
	rec, err := a.Engine.Fork(context.Background(), changes.ForkRequest{SessionID: id})
	w.try(err)
	w.acknowledged("the fork", promise{Kind: "entries", Session: rec.SessionID}.holds)
	return rec.SessionID
}

func (w *world) remove(a *app.App, id string) {
	w.t.Helper()
	w.try(a.Engine.Delete(context.Background(), id))
	w.acknowledged("the delete", promise{Kind: "deleted", Session: id}.holds)
}

// take imports the archive.
func (w *world) take(a *app.App) {
	w.t.Helper()
	got, err := a.Store.Archive.Import(context.Background(), bytes.NewReader(w.archive.Bytes()), w.project)
	w.try(err)
	w.acknowledged("the import", promise{Kind: "entries", Session: got.SessionID}.holds)
	w.acknowledged("the log of the import", promise{Kind: "log", Session: got.SessionID, Seq: 3}.holds)
}
