package bus

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whatever happens between appends (the publisher dies and another resumes, the
// server restarts, a log cannot be read for a while, news comes twice or late),
// the stream ends up with every session's events, once and in order.
func TestStreamEqualsLogsAfterAnyHistory(t *testing.T) {
	t.Parallel()
	b := openBus(t, Options{})
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		ids := []string{fmt.Sprintf("a%d", run), fmt.Sprintf("b%d", run)}
		src, before := newLogs(), stored(t, b)
		p := startPublisher(rt, b, src)
		defer func() { closeIt(t, p.Close) }()
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			id := rapid.SampledFrom(ids).Draw(rt, "session")
			switch rapid.IntRange(0, 19).Draw(rt, "step") {
			case 0:
				if err := b.revive(t.Context()); err != nil {
					rt.Fatal(err)
				}
			case 1, 2, 3:
				p.stop()
				p.wg.Wait()
				src.append(id, rapid.IntRange(0, 5).Draw(rt, "unseen"))
				p = startPublisher(rt, b, src)
				p.Resume(ids...)
			case 4, 5:
				src.fail(id, errors.New("input/output error"))
				p.Resume(id)
				src.fail(id, nil)
			case 6:
				p.Resume(id)
			default:
				p.Observe(id, src.append(id, rapid.IntRange(1, 60).Draw(rt, "events")))
			}
		}
		p.Resume(ids...)
		closeIt(t, p.Close)
		var all uint64
		for id, evs := range src.evs {
			all += uint64(len(evs))
			if len(evs) > 0 {
				expect(t, b, id, int64(len(evs)))
			}
		}
		if got := stored(t, b) - before; got != all {
			rt.Fatalf("the stream got %d messages, the logs hold %d events", got, all)
		}
		if t.Failed() {
			rt.FailNow()
		}
	})
}

func startPublisher(t *rapid.T, b *Bus, src Source) *Publisher {
	p, err := NewPublisher(b, src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The work queue against a model: a session with news is never lost, never with two
// workers at once, and rests only when its target is reached or its log ended.
func TestAgendaLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		a := newWorkQueue(func() time.Time { return now }, time.Second)
		announced, done := map[string]int64{}, map[string]int64{}
		var working []*task
		take := func(n int) {
			for _, got := range a.take(n) {
				for _, w := range working {
					if w == got {
						t.Fatalf("%s was given to two workers", got.session)
					}
				}
				working = append(working, got)
			}
		}
		settle := func(i int, failed bool, step int64) {
			w := working[i]
			working = append(working[:i], working[i+1:]...)
			if w.failed = failed; failed {
				w.cursor = unknown
			} else {
				w.moveTo(min(done[w.session]+step, announced[w.session]))
				done[w.session] = w.cursor
			}
			a.settle(w)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				id := fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "session"))
				announced[id] += rapid.Int64Range(1, 4).Draw(t, "events")
				a.add(id, 0, announced[id])
			case 1:
				take(rapid.IntRange(1, 4).Draw(t, "n"))
			case 2:
				if len(working) > 0 {
					i := rapid.IntRange(0, len(working)-1).Draw(t, "which")
					settle(i, rapid.Bool().Draw(t, "failed"), rapid.Int64Range(0, 3).Draw(t, "progress"))
				}
			case 3:
				now = now.Add(300 * time.Millisecond)
			}
		}
		a.close()
		for range 200 {
			now = now.Add(time.Second)
			take(100)
			for len(working) > 0 {
				settle(0, false, 10)
			}
		}
		select {
		case <-a.idle():
		default:
			t.Fatal("the queue is not idle")
		}
		if diff := cmp.Diff(announced, done); diff != "" {
			t.Fatalf("announced and done differ (-announced +done):\n%s", diff)
		}
		if s, n := a.lag(); s != 0 || n != 0 {
			t.Fatalf("lag of an idle queue: %d sessions, %d events", s, n)
		}
	})
}

func TestAgendaForgetsWhoRests(t *testing.T) {
	t.Parallel()
	a := newWorkQueue(time.Now, time.Second)
	for i := range idleTasks + 100 {
		a.add(fmt.Sprint(i), 0, 1)
		for _, w := range a.take(1) {
			w.moveTo(1)
			a.settle(w)
		}
	}
	if len(a.tasks) > idleTasks {
		t.Errorf("%d sessions remembered, want at most %d", len(a.tasks), idleTasks)
	}
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	t.Parallel()
	a := newWorkQueue(time.Now, time.Second)
	var got []time.Duration
	for n := 1; n <= 6; n++ {
		got = append(got, a.backoff(n)/time.Millisecond)
	}
	if diff := cmp.Diff([]time.Duration{100, 200, 400, 800, 1000, 1000}, got); diff != "" {
		t.Errorf("backoff in ms (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a.wait(ctx) {
		t.Error("wait goes on after its context ended")
	}
}
