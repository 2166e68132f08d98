//go:build crashtest

// Package crash proves what belay promises to survive.
//
// A scenario is work in a real engine. Package durable tells of every change of
// a file that it makes, and the scenario of everything that was acknowledged to
// a person or a client. After each change the machine might have lost its power,
// in several ways, or the process might have been killed. For each of these
// states the files are put in place, an engine is opened on them, and everything
// that had been acknowledged by then must hold.
package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// check is what must hold after a crash.
type check func(w *world, a *app.App) error

// step is one thing that happened, in order.
type step struct {
	op *durable.Op
	// ack names what was acknowledged, kept what must hold from then on: also
	// after a power cut, or with killOnly only after a kill.
	ack      string
	kept     check
	killOnly bool
	// seen are events that a reader got.
	seen []event.Event
}

// world is where a scenario happens.
type world struct {
	t              testing.TB
	project, state string
	cache          string
	script         string
	// known is the session that the setup made.
	known string
	// archive is an export that it made.
	archive bytes.Buffer

	mu    sync.Mutex
	steps []step
	// always holds after every crash.
	always []check
}

func newWorld(t testing.TB, script string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, project: filepath.Join(dir, "project"), state: filepath.Join(dir, "state"), cache: filepath.Join(dir, "cache")}
	for _, folder := range []string{w.project, w.state, w.cache} {
		must(t, os.Mkdir(folder, 0o700))
	}
	if script != "" {
		w.script = filepath.Join(dir, "script.yaml")
		must(t, os.WriteFile(w.script, []byte(script), 0o600))
	}
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open is belay's engine on the world's folders.
func (w *world) open() (*app.App, error) {
	env := map[string]string{"BELAY_SCRIPTED_PACE": "0", "BELAY_STATE_DIR": w.state, "BELAY_CACHE_DIR": w.cache}
	if w.script != "" {
		env["BELAY_SCRIPTED_SCRIPT"] = w.script
	}
	cfg, err := config.Load(config.Options{Env: env, Dir: w.project, Home: filepath.Dir(w.project)})
	if err != nil {
		return nil, err
	}
	return app.Open(cfg, "test", slog.New(slog.DiscardHandler))
}

// record runs work and notes everything that happens. What setup did before is on
// disk.
func (w *world) record(setup, work func(a *app.App)) (*disk, []step) {
	w.t.Helper()
	boot("while it works")
	a, err := w.open()
	must(w.t, err)
	if setup != nil {
		setup(a)
	}
	before, err := newDisk(w.project, w.state)
	must(w.t, err)
	w.mu.Lock()
	w.steps = nil
	w.mu.Unlock()
	durable.SetHook(&durable.Hook{After: func(op durable.Op) {
		op.Data = bytes.Clone(op.Data)
		w.note(step{op: &op})
	}})
	work(a)
	must(w.t, a.Close(context.Background()))
	durable.SetHook(nil)
	return before, w.steps
}

func (w *world) note(s step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, s)
}

// acknowledged notes that a person or client was told of something, and what
// follows from that.
func (w *world) acknowledged(what string, kept check) { w.note(step{ack: what, kept: kept}) }

// survivesKill is acknowledged for what a power cut may take.
func (w *world) survivesKill(what string, kept check) {
	w.note(step{ack: what, kept: kept, killOnly: true})
}

// boot makes the system look as if it had started again.
func boot(name string) { durable.SetBootID(name) }

// crashes goes through every state that a crash can leave and returns what does
// not hold, the first of each kind. With ignore the disk lies about the flushes of
// that name; then it stops at the first.
func (w *world) crashes(before *disk, steps []step, ignore string) (broken []string) {
	w.t.Helper()
	known := map[string]bool{}
	for k := 0; k <= len(steps); k++ {
		told := k > 0 && steps[k-1].op == nil
		if told && k < len(steps) && steps[k].op == nil {
			continue // nothing changed, and more was acknowledged
		}
		if ignore != "" && !told && k < len(steps) {
			continue // what is lost is missed at the latest when it was acknowledged
		}
		d := before.copy()
		d.ignore = ignore
		for _, s := range steps[:k] {
			if s.op != nil {
				d.apply(*s.op)
			}
		}
		all := losses(uint64(k))
		if ignore == "" {
			all = append(all, kill)
		}
		for _, l := range all {
			state := fmt.Sprintf("%s %d %v", d.fingerprint(l), acks(steps[:k]), l.name == kill.name)
			if known[state] {
				continue
			}
			known[state] = true
			if err := w.after(d, l, steps[:k]); err != nil {
				at := "at the beginning"
				if k > 0 && steps[k-1].op != nil {
					at = fmt.Sprintf("after %s %s", steps[k-1].op.Verb, w.relative(steps[k-1].op.Path))
				} else if k > 0 {
					at = "after " + steps[k-1].ack
				}
				broken = append(broken, fmt.Sprintf("step %d, %s, losing %s: %v", k, at, l.name, err))
				if ignore != "" || len(broken) >= 5 {
					return broken
				}
			}
		}
	}
	w.t.Logf("%d states after %d steps", len(known), len(steps))
	return broken
}

func acks(steps []step) (n int) {
	for _, s := range steps {
		if s.op == nil {
			n++
		}
	}
	return n
}

func (w *world) relative(path string) string {
	rel, err := filepath.Rel(filepath.Dir(w.project), path)
	if err != nil {
		return path
	}
	return rel
}

// after puts one state in place and checks what must hold in it.
func (w *world) after(d *disk, l loss, steps []step) (err error) {
	if err := d.materialize(l); err != nil {
		return err
	}
	must(w.t, os.RemoveAll(w.cache))
	must(w.t, os.MkdirAll(w.cache, 0o700))
	killed := l.name == kill.name
	if !killed {
		boot("after the cut")
	} else {
		boot("while it works")
	}
	a, err := w.open()
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, a.Close(context.Background())) }()
	for _, s := range steps {
		if s.kept != nil && (killed || !s.killOnly) {
			if err := s.kept(w, a); err != nil {
				return fmt.Errorf("%s: %w", s.ack, err)
			}
		}
	}
	for _, c := range w.always {
		if err := c(w, a); err != nil {
			return err
		}
	}
	return w.checkIDs(a, steps)
}

// checkIDs lets every session go on and makes sure that no event gets an id that
// another event had which a reader has seen, and that nobody is told of tampering.
func (w *world) checkIDs(a *app.App, steps []step) error {
	seen := map[string]map[int64]event.Type{}
	for _, s := range steps {
		for _, e := range s.seen {
			if seen[s.ack] == nil {
				seen[s.ack] = map[int64]event.Type{}
			}
			seen[s.ack][e.Seq] = e.Type
		}
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		events, err := say(a, turn.Request{SessionID: id, Message: "and on"})
		if isGone(err) {
			continue // it was never durable, or deleted
		}
		if err != nil {
			return fmt.Errorf("the session %s does not go on: %w", id, err)
		}
		for _, e := range events {
			if before, reused := seen[id][e.Seq]; reused && e.Seq > 0 {
				return fmt.Errorf("the id %d was that of %s, and is that of %s now", e.Seq, before, e.Type)
			}
			if bytes.Contains(e.Data, []byte("RECORD_CHANGED")) {
				return fmt.Errorf("a crash looks like tampering: %s", e.Data)
			}
		}
		if last := events[len(events)-1]; !last.Ends() {
			return fmt.Errorf("the next turn ends with %s", last.Type)
		}
	}
	return nil
}

// say runs a turn and returns its events.
func say(a *app.App, r turn.Request) (all []event.Event, err error) {
	s, err := a.Engine.Start(context.Background(), r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return drain(s, func(event.Event) {})
}

// isGone reports that there is no such session, or nothing left of it.
func isGone(err error) bool {
	return fault.Is(err, fault.SessionNotFound) || errors.Is(err, session.ErrMalformed)
}

func drain(s turn.Stream, each func(event.Event)) (all []event.Event, err error) {
	for {
		events, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		for _, e := range events {
			each(e)
		}
		all = append(all, events...)
	}
}

// turn runs a turn of the scenario: its events are seen, and with process:exit it
// is acknowledged.
func (w *world) turn(a *app.App, r turn.Request) string {
	w.t.Helper()
	s, err := a.Engine.Start(context.Background(), r)
	must(w.t, err)
	id := s.Turn()
	_, err = drain(s, func(e event.Event) { w.saw(r.SessionID, id, r, e) })
	must(w.t, err)
	must(w.t, s.Close())
	return id
}

// saw notes that a reader got an event.
func (w *world) saw(sessionID, turnID string, r turn.Request, e event.Event) {
	s := step{ack: sessionID, seen: []event.Event{e}}
	if e.Ends() {
		s.kept = func(w *world, a *app.App) error { return hasTurn(a, sessionID, turnID, r) }
	}
	w.note(s)
}

// hasTurn checks that the transcript has all of a turn, and that its key still
// leads to it.
func hasTurn(a *app.App, sessionID, turnID string, r turn.Request) error {
	entries, err := a.Engine.Transcript(context.Background(), sessionID)
	if err != nil {
		return err
	}
	kinds := map[session.EntryKind]bool{}
	for _, e := range entries {
		if e.Turn != turnID {
			continue
		}
		if kinds[e.Kind] = true; e.Kind == session.EntryTurn && e.Message != r.Message {
			return fmt.Errorf("the message is %q", e.Message)
		}
	}
	for _, kind := range []session.EntryKind{session.EntryTurn, session.EntryRequest, session.EntryAssistant, session.EntryEnd} {
		if !kinds[kind] {
			return fmt.Errorf("the transcript of turn %s has no %s", turnID, kind)
		}
	}
	if r.IdempotencyKey == "" {
		return nil
	}
	return replays(a, turnID, r)
}

// replays checks that the request is not done twice.
func replays(a *app.App, turnID string, r turn.Request) (err error) {
	s, err := a.Engine.Start(context.Background(), r)
	if err != nil {
		return fmt.Errorf("repeat the request: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Turn() != turnID {
		return fmt.Errorf("the same request became another turn")
	}
	events, err := drain(s, func(event.Event) {})
	if err != nil || len(events) == 0 || !events[len(events)-1].Ends() {
		return fmt.Errorf("the turn is not told to its end: %d events, %w", len(events), err)
	}
	return nil
}
