package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
)

func TestOrderAndOnceUnderConcurrentSessions(t *testing.T) {
	t.Parallel()
	const sessions, events = 12, 400
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	var wg sync.WaitGroup
	for s := range sessions {
		id := fmt.Sprintf("session-%d", s)
		wg.Go(func() {
			for sent := 0; sent < events; {
				n := min(1+(sent+s)%7, events-sent)
				p.Observe(id, src.append(id, n))
				sent += n
			}
		})
		wg.Go(func() { expect(t, b, id, events) })
	}
	wg.Wait()
	closeIt(t, p.Close)
	if got := stored(t, b); got != sessions*events {
		t.Errorf("the stream holds %d messages, want %d", got, sessions*events)
	}
	want := Stats{Published: sessions * events}
	if diff := cmp.Diff(want, p.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if h := b.Health(); !h.OK {
		t.Errorf("health: %+v", h)
	}
}

func TestMessageCarriesTheEvent(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	evs := src.append("s1", 2)
	p.Observe("s1", evs)
	for m, err := range b.Messages(t.Context(), "s1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		want := Message{Session: "s1", Name: "evt.agent.output.delta.text", Event: evs[1]}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("message (-want +got):\n%s", diff)
		}
		break
	}
	raw, err := b.stream.GetMsg(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if raw.Subject != "belay.evt.s1" || raw.Header.Get("Nats-Msg-Id") != "s1:2" || raw.Header.Get(HeaderTurn) != "turn-1" {
		t.Errorf("stored as %s with %v", raw.Subject, raw.Header)
	}
}

func TestMessageIDsMakeRedeliveryHarmless(t *testing.T) {
	t.Parallel()
	// Two publishers of one log: two nodes that see one file system.
	b, src := openBus(t, Options{}), newLogs()
	p1, p2 := openPublisher(t, b, src), openPublisher(t, b, src)
	for range 50 {
		evs := src.append("s1", 5)
		p1.Observe("s1", evs)
		p2.Observe("s1", evs)
	}
	closeIt(t, p1.Close)
	closeIt(t, p2.Close)
	expect(t, b, "s1", 250)
	if got := stored(t, b); got != 250 {
		t.Errorf("the stream holds %d messages, want 250", got)
	}
}

func TestLogGapIsNotCarriedAndMovesThePosition(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	for range 40 {
		src.append("s1", 1)
	}
	src.evs["s1"][39] = event.Event{Seq: 40, Type: event.LogGap}
	src.append("s1", 2)
	p.queue.add("s1", 39, toTheEnd)
	var got []int64
	for m, err := range b.Messages(t.Context(), "s1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, m.Event.Seq); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]int64{41, 42}, got); diff != "" {
		t.Errorf("sequences (-want +got):\n%s", diff)
	}
}

func TestEventTooLargeForAMessageIsNamedNotCarried(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	big := sample(1)
	big.Data = []byte(`"` + strings.Repeat("x", 2<<20) + `"`)
	src.evs["s1"] = []event.Event{big, sample(2)}
	p.Observe("s1", src.evs["s1"])
	for m, err := range b.Messages(t.Context(), "s1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Event.Seq == 1 && (m.Omitted != 2<<20+2 || m.Event.Data != nil || m.Event.Turn != "turn-1") {
			t.Errorf("message 1: omitted %d, data %d bytes", m.Omitted, len(m.Event.Data))
		}
		if m.Event.Seq == 2 {
			break
		}
	}
	until(t, "omitted counted", func() bool { return p.Stats().Omitted == 1 })
}

func TestSessionThatCannotBeReadDelaysOnlyItself(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	src.fail("ill", errors.New("input/output error"))
	p.Observe("ill", src.append("ill", 3))
	until(t, "a first failure", func() bool { return p.Stats().Retries > 0 })
	p.Observe("well", src.append("well", 3))
	expect(t, b, "well", 3)
	until(t, "only the ill session lags", func() bool { return p.Stats().LagSessions == 1 })
	src.fail("ill", nil)
	expect(t, b, "ill", 3)
}

func TestDeletedSessionIsDropped(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p := openPublisher(t, b, src)
	p.Observe("s1", src.append("s1", 3))
	expect(t, b, "s1", 3)
	if err := b.Forget(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	p.Resume("never-was")
	closeIt(t, p.Close)
	if got := stored(t, b); got != 0 {
		t.Errorf("the stream holds %d messages of a forgotten session", got)
	}
	if s := p.Stats(); s.LagSessions != 0 {
		t.Errorf("stats: %+v, want no lag", s)
	}
}

func TestCloseSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	b, src := openBus(t, Options{}), newLogs()
	p, err := NewPublisher(b, src)
	if err != nil {
		t.Fatal(err)
	}
	src.fail("s1", errors.New("input/output error"))
	p.Observe("s1", src.append("s1", 1))
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := p.Close(ctx); errors.Is(err, context.DeadlineExceeded) || err == nil || !strings.Contains(err.Error(), "1 sessions") {
		t.Errorf("Close = %v", err)
	}
	p.Observe("s1", src.append("s1", 1)) // after Close: ignored, not a panic
}

// What is known of a deleted session leaves the work queue, at once or when the
// worker that has it is done.
func TestAgendaDropsDeletedSessions(t *testing.T) {
	t.Parallel()
	a := newWorkQueue(time.Now, time.Second)
	settled := func() {
		for _, task := range a.take(10) {
			task.drained = true
			task.moveTo(5)
			a.settle(task)
		}
	}
	a.add("s1", 0, 5)
	settled()
	a.drop("s1")
	if len(a.tasks) != 0 {
		t.Errorf("a deleted session that rests is kept: %+v", a.tasks["s1"])
	}
	a.add("s1", 0, 5)
	a.drop("s1") // while it waits for a worker
	settled()
	if len(a.tasks) != 0 {
		t.Errorf("a deleted session that was at work is kept: %+v", a.tasks["s1"])
	}
	a.add("s1", 0, 5)
	a.drop("s1")
	a.add("s1", 2, 3) // another session of that id
	task := a.take(1)[0]
	if task.gone || task.cursor != unknown || task.floor != 2 || task.target != 3 {
		t.Errorf("the new session has the old one's place: %+v", task)
	}
	a.drop("unknown")
}
