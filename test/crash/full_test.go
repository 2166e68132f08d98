//go:build crashtest

package crash

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"belay/internal/app"
	"belay/internal/durable"
	"belay/internal/fault"
)

// shortage is a way in which changes of files fail.
type shortage struct {
	name string
	err  error
	hits func(durable.Op) bool
	// lasts is set where everything that it hits fails until there is room again.
	lasts bool
}

var shortages = []shortage{
	{"no room, once", syscall.ENOSPC, func(durable.Op) bool { return true }, false},
	{"no room", syscall.ENOSPC, grows, true},
	{"no descriptor, once", syscall.EMFILE, opens, false},
	{"no descriptor", syscall.EMFILE, opens, true},
}

// grows reports whether an operation takes room.
func grows(op durable.Op) bool {
	switch op.Verb {
	case durable.OpCreate, durable.OpWrite, durable.OpMkdir, durable.OpLink, durable.OpSymlink, durable.OpRename:
		return true
	}
	return false
}

// opens reports whether an operation takes a file descriptor.
func opens(op durable.Op) bool { return op.Verb == durable.OpCreate || op.Verb == durable.OpFlushDir }

// choke is a shortage that begins at an operation.
type choke struct {
	shortage
	at    int64
	seen  atomic.Int64
	first atomic.Pointer[durable.Op]
	over  atomic.Bool
}

// before is the hook that lets operations fail.
func (c *choke) before(op durable.Op) error {
	if c.hits(op) && !c.over.Load() {
		n := c.seen.Add(1) - 1
		if n == c.at || c.lasts && n > c.at {
			c.first.CompareAndSwap(nil, &op)
			return c.err
		}
	}
	if flushes(op) {
		return durable.ErrSkipped
	}
	return nil
}

var (
	fullEvery = flag.Bool("full.every", false, "let every operation fail in turn, not a sample of them")
	fullSeed  = flag.Uint64("full.seed", 1, "says which operations the sample has")
)

// sample is how many operations of a scenario fail for each shortage, without
// -full.every.
const sample = 12

// On a full disk, and without a file descriptor, each call works or says why not.
// What was acknowledged survives a kill, and with room again the process goes on as
// if nothing had happened.
func TestFullDisk(t *testing.T) {
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) {
			w := newWorld(t, t.TempDir(), s)
			w.always = append(w.always, noneDamaged)
			before := w.prepare(s)
			defer durable.SetHook(nil)
			for _, how := range shortages {
				all := &choke{shortage: how, at: math.MaxInt64}
				must(t, w.chokes(before, s, all)) // it does not choke
				n := all.seen.Load()
				stride := int64(1)
				if !*fullEvery {
					stride = (n + sample - 1) / sample
				}
				first := rand.New(rand.NewPCG(*fullSeed, uint64(n))).Int64N(max(stride, 1))
				t.Logf("%s at every operation of %d that is %d modulo %d", how.name, n, first, stride)
				for at := first; at < n; at += stride {
					c := &choke{shortage: how, at: at}
					if err := w.chokes(before, s, c); err != nil {
						t.Errorf("%s at operation %d, %s: %v", how.name, at, w.what(c), err)
					}
				}
			}
		})
	}
}

func (w *world) what(c *choke) string {
	op := c.first.Load()
	if op == nil {
		return "which did not come"
	}
	return fmt.Sprintf("%s %s", op.Verb, w.relative(op.Path))
}

// chokes does the scenario's work while files cannot be changed, and checks what
// comes of it: in the process that goes on, and in one that finds what it left.
func (w *world) chokes(before *disk, s *scenario, c *choke) error {
	if err := w.restore(before, kill); err != nil {
		return err
	}
	boot("while it works")
	durable.SetHook(&durable.Hook{Before: c.before})
	c.over.Store(true)
	a, err := w.open()
	if err != nil {
		return err
	}
	c.over.Store(false)
	stopped, err := w.attempt(a, s)
	if err != nil {
		return errors.Join(err, a.Close(context.Background()))
	}
	left, err := newDisk(w.project, w.state)
	if err != nil {
		return errors.Join(err, a.Close(context.Background()))
	}
	told := w.steps
	c.over.Store(true)
	if err := w.recovers(a, s, told, stopped); err != nil {
		return fmt.Errorf("with room again: %w", errors.Join(err, a.Close(context.Background())))
	}
	if err := a.Close(context.Background()); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	if err := w.restore(left, kill); err != nil {
		return err
	}
	if err := w.holds(told, true); err != nil {
		return fmt.Errorf("after a kill: %w", err)
	}
	return nil
}

// noneDamaged checks that no session of the list is beyond use.
func noneDamaged(w *world, a *app.App) error {
	recs, err := a.Engine.List(context.Background(), w.project)
	for _, r := range recs {
		if r.Damaged != "" {
			err = errors.Join(err, fmt.Errorf("the session %s is damaged: %s", r.SessionID, r.Damaged))
		}
	}
	return err
}

// attempt does the scenario's work, to its first call that fails, and hears every
// turn to its end. What it returns as an error is no way to fail.
func (w *world) attempt(a *app.App, s *scenario) (stopped bool, err error) {
	w.steps = nil
	w.failed = func(failure error) { err = errors.Join(err, isPlain(failure)) }
	defer func() { w.failed = nil }()
	stopped = w.works(a, s)
	for k := range w.talks {
		// It may wait for a person. Where it has ended there is nothing to interrupt.
		_ = a.Engine.Interrupt(context.Background(), k.r.SessionID, k.Turn())
		e := w.hear(k, nil)
		if e == nil && k.exit.ExitCode == 1 {
			e = isPlain(k.fault())
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("the turn %q: %w", k.r.Message, e))
		}
	}
	return stopped, err
}

// works does the scenario's work and reports whether a call of it failed.
func (w *world) works(a *app.App, s *scenario) (stopped bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != any(errStopped) {
				panic(v)
			}
			stopped = true
		}
	}()
	s.work(w, a)
	return false
}

// isPlain checks that an error says what a person can do.
func isPlain(err error) error {
	f := fault.From(err)
	if f.Type == fault.SDKFailure || f.NextStep() == "" {
		return fmt.Errorf("a call failed without a next step: %w", err)
	}
	return nil
}

// recovers checks that the process works again, and that nothing blocks the work that
// failed.
func (w *world) recovers(a *app.App, s *scenario, told []step, stopped bool) (err error) {
	if err := w.keeps(a, told, true); err != nil {
		return err
	}
	if !stopped {
		return nil
	}
	w.failed = func(failure error) {
		if fault.Is(failure, fault.StorageFailure) || isPlain(failure) != nil {
			err = fmt.Errorf("once more: %w", failure)
		}
	}
	w.retries = true
	defer func() { w.failed, w.retries = nil, false }()
	w.works(a, s)
	return errors.Join(err, w.keeps(a, slices.Clone(w.steps), true))
}
