//go:build crashtest

// Package crash proves what belay promises to survive.
//
// A scenario is work in a real engine, done as users do it. Package durable tells
// of every change of a file that it makes, and the scenario of everything that was
// acknowledged to a person or a client. Four tests build on that:
//
//   - TestNothingAcknowledgedIsLost takes the power away in a model of a disk,
//     after each change and in several ways, and opens an engine on what is left.
//     TestEachFlushIsNeeded leaves out one flush after the other and demands that
//     something is lost.
//   - TestFullDisk lets each change fail, as on a full disk and without a file
//     descriptor.
//   - TestKilled kills a process before each change.
//   - TestPowerCuts shuts real file systems down while an engine works on them.
package crash

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/event"
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
	// seen is an event that a reader of a session, which ack names, or of a run got.
	seen *event.Event
}

// world is where a scenario happens.
type world struct {
	t testing.TB
	// dir has all of it.
	dir, project, state, cache string
	// env are settings besides.
	env map[string]string
	// known is the session that the setup made.
	known string
	// archive is an export that it made.
	archive bytes.Buffer
	// always holds after every crash.
	always []check
	// onDisk holds after it before belay is there again, nil for nothing.
	onDisk func(w *world) error

	mu    sync.Mutex
	steps []step
	// talks are the turns under way.
	talks map[*talk]bool
	// retries is set while work is done once more that failed.
	retries bool
	// failed is told of each call that failed, nil where none may.
	failed func(error)
}

func newWorld(t testing.TB, dir string, s *scenario) *world {
	t.Helper()
	w := &world{
		t: t, dir: dir, project: filepath.Join(dir, "project"), state: filepath.Join(dir, "state"), cache: filepath.Join(dir, "cache"),
		env: map[string]string{}, talks: map[*talk]bool{}, always: []check{everySessionWorks}, onDisk: s.onDisk,
	}
	for _, folder := range []string{w.project, w.state, w.cache} {
		must(t, os.MkdirAll(folder, 0o700))
	}
	maps.Copy(w.env, s.env)
	if s.script != "" {
		w.env["BELAY_SCRIPTED_SCRIPT"] = filepath.Join(dir, "script.yaml")
		must(t, os.WriteFile(w.env["BELAY_SCRIPTED_SCRIPT"], []byte(s.script), 0o600))
	}
	if s.always != nil {
		w.always = append(w.always, s.always)
	}
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// config are the settings of the world's engine.
func (w *world) config() (*config.Config, error) { return config.Load(w.options()) }

// options are where these settings come from.
func (w *world) options() config.Options {
	env := maps.Clone(w.env)
	maps.Copy(env, map[string]string{
		"BELAY_SCRIPTED_PACE": "0", "BELAY_STATE_DIR": w.state, "BELAY_CACHE_DIR": w.cache,
		"XDG_CONFIG_HOME": filepath.Join(w.state, "config"), // on the disk whose power is cut
	})
	return config.Options{Env: env, Dir: w.project, Home: w.dir}
}

// open is belay's engine on the world's folders.
func (w *world) open() (*app.App, error) {
	cfg, err := w.config()
	if err != nil {
		return nil, err
	}
	return app.Open(cfg, "test", slog.New(slog.DiscardHandler))
}

// flushes reports whether an operation makes something durable. These tests model
// what that is worth, and need no disk that takes its time for it.
func flushes(op durable.Op) bool { return op.Verb == durable.OpFlush || op.Verb == durable.OpFlushDir }

// quick leaves flushes out.
func quick() {
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if flushes(op) {
			return durable.ErrSkipped
		}
		return nil
	}})
}

// prepare does what the scenario finds done, and returns the disk with it.
func (w *world) prepare(s *scenario) *disk {
	w.t.Helper()
	boot("while it works")
	quick()
	defer durable.SetHook(nil)
	a, err := w.open()
	must(w.t, err)
	if s.setup != nil {
		s.setup(w, a)
	}
	must(w.t, a.Close(context.Background()))
	before, err := newDisk(w.project, w.state)
	must(w.t, err)
	return before
}

// record does the scenario's work and notes everything that happens.
func (w *world) record(s *scenario) []step {
	w.t.Helper()
	a, err := w.open()
	must(w.t, err)
	w.steps = nil
	durable.SetHook(&durable.Hook{
		Before: func(op durable.Op) error {
			if !flushes(op) {
				return nil
			}
			op.Point += site()
			w.note(step{op: &op})
			return durable.ErrSkipped
		},
		After: func(op durable.Op) {
			op.Data = bytes.Clone(op.Data)
			w.note(step{op: &op})
			w.acknowledgeEnds(op)
		},
	})
	defer durable.SetHook(nil)
	s.work(w, a)
	must(w.t, a.Close(context.Background()))
	return w.steps
}

// site says which function flushes: a kind of file has more than one writer. What a
// committer flushes has none.
func site() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		name := strings.TrimPrefix(f.Function, "belay/internal/")
		if name != f.Function && !strings.HasPrefix(name, "durable.") {
			return " in " + name
		}
		if !more {
			return ""
		}
	}
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

// errStopped ends a scenario in which a call failed.
var errStopped = errors.New("the scenario goes no further")

// try passes a call that worked. One that failed ends the scenario.
func (w *world) try(err error) {
	w.t.Helper()
	if err == nil {
		return
	}
	if w.failed == nil {
		w.t.Fatal(err)
	}
	w.failed(err)
	panic(errStopped)
}

// boot makes the system look as if it had started again.
func boot(name string) { durable.SetBootID(name) }

// restore puts a disk back as it was, with an empty cache.
func (w *world) restore(d *disk, l loss) error {
	if err := d.materialize(l); err != nil {
		return err
	}
	if err := os.RemoveAll(w.cache); err != nil {
		return err
	}
	return os.Mkdir(w.cache, 0o700)
}
