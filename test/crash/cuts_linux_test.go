//go:build crashtest

package crash

import (
	"context"
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"belay/internal/app"
	"belay/internal/durable"
)

var (
	cutRounds = flag.Int("cut.rounds", 2, "how often TestPowerCuts shuts each file system down during each scenario")
	cutSeed   = flag.Uint64("cut.seed", 0, "what chooses when; 0 is another one each time")
)

// Real file systems are shut down while a scenario works on them: first at its end,
// then before a change of a file that is chosen at random. Nothing may be lost that
// was acknowledged.
func TestPowerCuts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped, not passed: shutting a file system down needs root")
	}
	if !inOwnMounts(t) {
		return
	}
	from := *cutSeed
	if from == 0 {
		from = rand.Uint64()
	}
	for _, kind := range fileSystems {
		t.Run(kind.name, func(t *testing.T) {
			newVolume(t, kind).losesWhatIsNotFlushed(t)
			n := 0
			for i := range scenarios {
				t.Run(scenarios[i].name, func(t *testing.T) {
					newVolume(t, kind).rounds(t, &scenarios[i], from)
					n++
				})
			}
			if !t.Failed() {
				t.Logf("%s: %d power cuts in %d scenarios, and nothing acknowledged was lost (-cut.seed %d)", kind.name, *cutRounds*n, n, from)
			}
		})
	}
}

// rounds cuts one scenario off, again and again.
func (v *volume) rounds(t *testing.T, s *scenario, seed uint64) {
	name := fnv.New64a()
	_, _ = name.Write([]byte(v.kind.name + s.name)) // a hash takes everything
	random := rand.New(rand.NewPCG(seed, name.Sum64()))
	all := 0
	for round := range *cutRounds {
		at, how := 0, cutNow
		if round > 0 {
			at = 1 + random.IntN(all+10) // some come after the end
			if random.IntN(4) == 0 {
				how = cutAfterJournal
			}
		}
		w, ops := v.interrupted(t, s, power{at: at, how: how})
		all = max(all, ops)
		if err := w.holds(w.steps, false); err != nil {
			t.Errorf("round %d of -cut.seed %d, cut %d at change %d, %s: %v", round, seed, how, at, w.last(w.steps), err)
		}
		must(t, os.RemoveAll(w.dir))
	}
}

// power says when and how it is taken away: before the change of a number, from 1,
// or at the scenario's end.
type power struct {
	at  int
	how cut
	// lies lets every flush do nothing.
	lies bool
}

// interrupted does a scenario's work until the power is cut, and returns the world
// after it, and how many changes of files it came to.
func (v *volume) interrupted(t *testing.T, s *scenario, p power) (*world, int) {
	t.Helper()
	w := newWorld(t, filepath.Join(v.dir, strconv.FormatUint(rand.Uint64(), 36)), s)
	w.prepare(s)
	v.remount(t)
	a, err := w.open()
	must(t, err)
	var down atomic.Bool
	cut := sync.OnceFunc(func() {
		down.Store(true)
		if err := v.shutDown(p.how); err != nil {
			t.Error(err)
		}
	})
	w.steps = nil
	w.failed = func(err error) {
		if !down.Load() {
			t.Errorf("before the power was cut: %v", err)
		}
	}
	var ops atomic.Int64
	durable.SetHook(&durable.Hook{Before: func(op durable.Op) error {
		if n := ops.Add(1); int(n) == p.at {
			cut()
		}
		if p.lies && flushes(op) {
			return durable.ErrSkipped
		}
		return nil
	}})
	defer durable.SetHook(nil)
	w.upToFailure(s, a)
	if p.at == 0 {
		cut()
	}
	n := int(ops.Load())
	for k := range w.talks {
		_ = k.Close() // the scenario went no further
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = a.Close(ctx) // it finds no disk, and does not wait for turns under way
	cut()
	w.failed = nil
	v.remount(t)
	boot("after the cut")
	return w, n
}

// upToFailure does a scenario's work until a call of it fails.
func (w *world) upToFailure(s *scenario, a *app.App) {
	defer func() {
		if problem := recover(); problem != nil && problem != errStopped {
			panic(problem)
		}
	}()
	s.work(w, a)
}

// losesWhatIsNotFlushed makes sure that these cuts can be seen to take something:
// without flushes, what was acknowledged is lost. Should somebody else flush the
// whole system in that moment, it is done again.
func (v *volume) losesWhatIsNotFlushed(t *testing.T) {
	t.Helper()
	for range 5 {
		w, _ := v.interrupted(t, &scenarios[0], power{how: cutNow, lies: true})
		err := w.holds(w.steps, false)
		must(t, os.RemoveAll(w.dir))
		if err != nil {
			return
		}
	}
	t.Fatal("nothing is lost when the power is cut without a flush")
}
