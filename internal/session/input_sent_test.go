package session

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"belay/internal/fault"
)

// A sender who does not know whether its input was sent finds out: while it waits, once
// the transcript has it, and where its turn ended without it.
func TestInputSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Message: "hello"}))
	is := func(when, key string, want bool) {
		t.Helper()
		if got, err := w.Signals.InputSent(context.Background(), id, key, ""); got != want || err != nil {
			t.Errorf("%s: %q was sent is %v, %v", when, key, got, err)
		}
	}
	is("at first", "k1", false)
	must(t, w.Signals.SendInput(id, Input{Message: "more", Mode: Steer, Key: "k1"}))
	is("while it waits", "k1", true)
	is("another one", "k2", false)
	is("one without a key", "", false)
	inputs, err := l.TakeInputs("t1")
	must(t, err)
	if len(inputs) != 1 {
		t.Fatalf("%d inputs", len(inputs))
	}
	is("once it is taken", "k1", true)
	must(t, l.Append(Entry{Kind: EntryInput, Turn: "t1", Message: "more", Input: inputs[0].ID}))
	// The sender of this one dies before it learns that the turn no longer listens.
	must(t, w.Signals.SendInput(id, Input{Message: "late", Mode: Steer, Key: "k2"}))
	must(t, l.Append(Entry{Kind: EntryEnd, Turn: "t1"}))
	must(t, l.Commit(context.Background()))
	is("in the transcript", "k1", true)
	is("after the end of its turn", "k2", false)
	must(t, l.Release())
}

// Inputs reach the turn in the order in which they were sent, also where the clock stands
// still or is set back.
func TestInputsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := newWorld(t, func(o *Options) { o.Clock = func() time.Time { return now } })
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Message: "hello"}))
	var sent, taken []string
	for i := range 12 {
		sent = append(sent, strconv.Itoa(i))
		must(t, w.Signals.SendInput(id, Input{Message: sent[i], Mode: Steer}))
		if i%3 == 0 {
			now = now.Add(-time.Hour)
		}
	}
	inputs, err := l.TakeInputs("t1")
	must(t, err)
	for _, in := range inputs {
		taken = append(taken, in.Message)
	}
	if !slices.Equal(taken, sent) {
		t.Errorf("taken in the order %v", taken)
	}
	must(t, l.Append(Entry{Kind: EntryEnd, Turn: "t1"}))
	must(t, l.Commit(context.Background()))
	must(t, l.Release())
}

// An input that a person takes back while the turn takes inputs does not end the turn: the
// turn has it or the person, and never both.
func TestInputsTakenBackMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Message: "hello"}))
	for range 30 {
		for i := range 5 {
			must(t, w.Signals.SendInput(id, Input{Message: strconv.Itoa(i), Mode: Steer}))
		}
		waiting, err := w.Signals.Inputs(id)
		must(t, err)
		dropped := make(chan int)
		go func() {
			n := 0
			for _, in := range waiting {
				if w.Signals.DropInput(id, in.ID) == nil {
					n++
				}
			}
			dropped <- n
		}()
		taken, err := l.TakeInputs("t1")
		if n := <-dropped; err != nil || n+len(taken) != len(waiting) {
			t.Fatalf("%d taken, %d dropped of %d: %v", len(taken), n, len(waiting), err)
		}
		for _, in := range taken {
			must(t, l.Append(Entry{Kind: EntryInput, Turn: "t1", Message: in.Message, Input: in.ID}))
		}
		must(t, l.Commit(context.Background()))
	}
	must(t, l.Release())
}

// What two processes send under one key is said once, also where the first of them is in
// the transcript already.
func TestInputOfOneKeyIsSaidOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	l := acquire(t, w.Store, id)
	must(t, l.Begin("t1"))
	must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1", Message: "hello"}))
	said := func() (n int) {
		t.Helper()
		inputs, err := l.TakeInputs("t1")
		must(t, err)
		for _, in := range inputs {
			must(t, l.Append(Entry{Kind: EntryInput, Turn: "t1", Message: in.Message, Input: in.ID}))
		}
		return len(inputs)
	}
	in := Input{Message: "more", Mode: Steer, Key: "k1", Digest: "0123456789abcdef0123"}
	must(t, w.Signals.SendInput(id, in))
	must(t, w.store().Signals.SendInput(id, in))
	if n := said(); n != 1 {
		t.Errorf("%d of two were said", n)
	}
	must(t, w.store().Signals.SendInput(id, in))
	must(t, l.Commit(context.Background()))
	if n := said(); n != 0 {
		t.Error("it was said again after the commit")
	}
	must(t, l.Commit(context.Background()))
	if left, err := w.Signals.inputNames(id); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
	must(t, w.Signals.SendInput(id, Input{Message: "another", Mode: Steer, Key: "k2"}))
	if n := said(); n != 1 {
		t.Errorf("%d of another key", n)
	}
	// Two messages under one key that two processes took: both were promised.
	for i, message := range []string{"this", "that"} {
		must(t, w.Signals.SendInput(id, Input{Message: message, Mode: Steer, Key: "k3", Digest: strconv.Itoa(i) + "123456789abcdef0123"}))
	}
	if n := said(); n != 2 {
		t.Errorf("%d of two messages under one key were said", n)
	}
	for digest, conflict := range map[string]bool{in.Digest: false, "": false, "fedcba9876543210": true} {
		if sent, err := w.Signals.InputSent(context.Background(), id, "k1", digest); !sent || fault.Is(err, fault.IdempotencyConflict) != conflict {
			t.Errorf("with the digest %q: %v, %v", digest, sent, err)
		}
	}
	if sent, err := w.Signals.InputSent(context.Background(), id, "k2", in.Digest); !sent || err != nil {
		t.Errorf("one that was sent without a digest: %v, %v", sent, err)
	}
	must(t, l.Release())
}
