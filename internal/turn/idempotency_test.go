package turn

import (
	"sync"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
)

func keyed(key, digest string) func(*Request) {
	return func(q *Request) { q.IdempotencyKey, q.BodyDigest = key, digest }
}

// A hundred requests with one key are one turn, and everybody gets all of it.
//
// Covers: turn-api REQ-11
func TestOneKeyOneTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	var all sync.WaitGroup
	turns := make([]string, 100)
	streams := make([]string, len(turns))
	for i := range turns {
		all.Go(func() {
			s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "hi", IdempotencyKey: "key", BodyDigest: "digest"})
			if err != nil {
				t.Errorf("start: %v", err)
				return
			}
			turns[i], streams[i] = s.Turn(), names(r.drain(s))
		})
	}
	all.Wait()
	for i := range turns {
		if turns[i] != turns[0] || streams[i] != streams[0] {
			t.Fatalf("request %d got turn %q: %s", i, turns[i], streams[i])
		}
	}
	if n := r.provider.calls(); n != 1 {
		t.Errorf("%d calls of the model", n)
	}
	if len(r.engine.starter.keys.beginning) != 0 {
		t.Error("keys are left behind")
	}
}

func TestKeyRules(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id, other := r.session(), r.session()
	turnOf := func(id string, change func(*Request)) string {
		t.Helper()
		return payload[event.Init](t, r.say(id, "hi", change), event.SessionInit).TurnID
	}
	first := turnOf(id, keyed("key", "digest"))
	if again := turnOf(id, keyed("key", "digest")); again != first {
		t.Errorf("again: %q, %q", again, first)
	}
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "other", IdempotencyKey: "key", BodyDigest: "other"})
	if f := fault.From(err); f == nil || f.Type != fault.IdempotencyConflict || f.Status != 409 || f.Details["turnId"] != first {
		t.Errorf("other body: %v", err)
	}
	if elsewhere := turnOf(other, keyed("key", "other")); elsewhere == first {
		t.Error("a key of one session counts in another")
	}
	r.now.Add(int64(24 * time.Hour))
	if at24h := turnOf(id, keyed("key", "digest")); at24h != first {
		t.Error("the key is forgotten at 24 hours sharp")
	}
	r.now.Add(int64(time.Second))
	if later := turnOf(id, keyed("key", "other")); later == first {
		t.Error("the key still counts after 24 hours")
	}
}

// A turn that was refused is not a turn: its key is free.
func TestRefusedTurnsLeaveTheKey(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	_, err := r.engine.Start(r.ctx(), Request{SessionID: id, IdempotencyKey: "key", BodyDigest: "empty"})
	if !fault.Is(err, fault.InvalidRequest) {
		t.Fatalf("empty turn: %v", err)
	}
	r.say(id, "hi", keyed("key", "digest"))
}

// The same request in two processes is one turn: who loses gets the winner's.
//
// Covers: turn-api REQ-11
func TestOneKeyTwoProcesses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	here := r.engine
	r.open()
	there := r.engine
	for round := range 10 {
		var both sync.WaitGroup
		var turns [2]string
		for i, e := range []*Local{here, there} {
			both.Go(func() {
				q := Request{SessionID: id, Message: "hi", BodyDigest: "digest", IdempotencyKey: string(rune('a' + round)), Opts: Opts{OnBusy: onBusyQueue}}
				s, err := e.Start(r.ctx(), q)
				if err != nil {
					t.Errorf("process %d: %v", i, err)
					return
				}
				turns[i] = s.Turn()
				exitOf(t, r.drain(s))
			})
		}
		both.Wait()
		if turns[0] != turns[1] {
			t.Errorf("two turns: %q", turns)
		}
	}
	if n := r.provider.calls(); n != 10 {
		t.Errorf("%d calls of the model", n)
	}
}

// Two processes, one session, no key: one turn at a time, and all of them.
//
// Covers: turn-api REQ-11
func TestTwoEnginesContend(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	engines := []*Local{r.engine}
	r.open()
	engines = append(engines, r.engine)
	var all sync.WaitGroup
	for _, e := range engines {
		for range 4 {
			all.Go(func() {
				for done := 0; done < 3; {
					s, err := e.Start(r.ctx(), Request{SessionID: id, Message: "mine"})
					if fault.Is(err, fault.TurnInProgress) {
						time.Sleep(time.Millisecond)
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					exitOf(t, r.drain(s))
					done++
				}
			})
		}
	}
	all.Wait()
	exits := 0
	for _, e := range r.whole(id) {
		if e.Ends() {
			exits++
		}
	}
	if exits != 24 {
		t.Errorf("%d turns", exits)
	}
}
