package turn

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/turn/ending"
)

// A turn is interrupted at every look at the clock, from its first check to its
// last event. Either it notices, and says so in the one way there is, or it was
// over before. The conversation stays fit for sending.
//
// Covers: turn-api REQ-11, REQ-12
func TestInterruptedAtEveryStep(t *testing.T) {
	t.Parallel()
	strict := scripted.New(scripted.Options{Catalog: &catalog})
	r := emptyRig(t)
	var looks, at atomic.Int64
	var id atomic.Value
	r.open(func(o *Options) {
		real := o.Clock
		o.Clock = func() time.Time {
			if looks.Add(1) == at.Load() {
				_ = r.engine.Interrupt(context.Background(), id.Load().(string), "") // too early or too late is fine
			}
			return real()
		}
	})
	ends := map[string]int{}
	for n := int64(1); ; n++ {
		s := r.session()
		id.Store(s)
		r.provider.does(twoRounds(0))
		looks.Store(0)
		at.Store(n)
		events := r.say(s, "go")
		missed := looks.Load() < n
		at.Store(-1)
		exit := exitOf(t, events)
		ends[fmt.Sprint(exit.ExitCode)]++
		switch said := names(events); exit.ExitCode {
		case ending.Interrupted:
			if strings.Contains(said, "complete") || strings.Contains(said, "error") || exit.Interrupted == nil || !*exit.Interrupted {
				t.Errorf("interrupted at %d: %s", n, said)
			}
		case ending.Done:
			if !strings.Contains(said, "chat:complete session:complete process:exit") {
				t.Errorf("interrupted too late at %d: %s", n, said)
			}
		default:
			t.Errorf("interrupted at %d: %+v", n, exit)
		}
		if events[0].Type != event.SessionInit {
			t.Errorf("interrupted at %d: the first event is %s", n, events[0].Type)
		}
		r.provider.does(acts(strict, "answer", nil))
		if next := exitOf(t, r.say(s, "and now?")); next.ExitCode != 0 {
			t.Errorf("the turn after an interrupt at %d: %+v", n, next)
		}
		r.whole(s)
		if missed {
			break
		}
	}
	if ends["130"] < 5 || ends["0"] < 1 {
		t.Errorf("ends by exit code: %v", ends)
	}
}

// What had been said when the person stopped it is in the conversation; half a
// tool call is not.
func TestPartialAnswerIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	called, twice := make(chan struct{}), make(chan struct{})
	r.provider.play = func(ctx context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		_ = yield(model.TextDelta{Text: "half an ans"}, nil) &&
			yield(model.Block{Content: model.ToolCall{ID: "c", Name: "n", Input: []byte(`{}`)}}, nil)
		close(called)
		<-ctx.Done()
		<-twice
		yield(nil, ctx.Err())
	}
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	wait(t, called)
	must(t, r.engine.Interrupt(r.ctx(), id, ""))
	must(t, r.engine.Interrupt(r.ctx(), id, "")) // as often as one likes
	close(twice)
	if exit := exitOf(t, r.drain(s)); exit.ExitCode != ending.Interrupted {
		t.Errorf("exit %+v", exit)
	}
	r.provider.does(says("fine"))
	r.say(id, "next")
	history := r.provider.last(t).History
	if len(history) != 2 || len(history[1].Content) != 1 || textOf(history[1].Content[0]) != "half an ans" {
		t.Errorf("history %+v", history)
	}
}

// A panic in the provider keeps what was said as well.
func TestPanicKeepsTheAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	r.provider.play = func(_ context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		yield(model.TextDelta{Text: "so far"}, nil)
		panic("boom")
	}
	if exit := exitOf(t, r.say(id, "go")); exit.ExitCode != 1 || exit.ErrorDetails["category"] != "PANIC" {
		t.Errorf("exit %+v", exit)
	}
	r.whole(id)
}

func TestInterruptOfNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, id := range []string{r.session(), "unknown", "../../etc"} {
		err := r.engine.Interrupt(r.ctx(), id, "")
		if f := fault.From(err); f == nil || f.Type != fault.SessionNotFound || f.Status != 404 || f.Details["sessionId"] != id {
			t.Errorf("interrupt %q: %v", id, err)
		}
	}
}

// Right after process:exit the session is idle for whoever saw it: no interrupt
// hits, a new turn begins, a delete deletes.
//
// Covers: turn-api REQ-11
func TestExitMeansIdle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 20 {
		id := r.session()
		r.say(id, "one")
		if err := r.engine.Interrupt(r.ctx(), id, ""); !fault.Is(err, fault.SessionNotFound) {
			t.Fatalf("interrupt after the exit: %v", err)
		}
		r.say(id, "two")
		r.say(id, "three")
		if _, err := r.engine.Boot(r.ctx(), BootRequest{SessionID: id}); err != nil {
			t.Fatalf("boot after the exit: %v", err)
		}
		r.say(id, "four")
		must(t, r.engine.Delete(r.ctx(), id))
	}
}

// An interrupt that names a turn stops that one; one that comes late does not
// meet the next.
//
// Covers: turn-api REQ-11
func TestInterruptOfOneTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	first := r.say(id, "over soon")
	begun := make(chan struct{})
	r.provider.play = func(ctx context.Context, _ model.Request, yield func(model.Chunk, error) bool) {
		close(begun)
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
	s, err := r.engine.Start(r.ctx(), Request{SessionID: id, Message: "go"})
	must(t, err)
	wait(t, begun)
	late := fault.From(r.engine.Interrupt(r.ctx(), id, first[0].Turn))
	if late == nil || late.Type != fault.SessionNotFound || late.Details["turnId"] != first[0].Turn {
		t.Errorf("interrupt of the turn before: %v", late)
	}
	if t2 := r.engine.running.in(id); t2.Context.Err() != nil {
		t.Error("it met the next turn")
	}
	must(t, r.engine.Interrupt(r.ctx(), id, s.Turn()))
	if exit := exitOf(t, r.drain(s)); exit.ExitCode != ending.Interrupted {
		t.Errorf("exit %+v", exit)
	}
}
