package turn

import (
	"context"
	"sync"
	"testing"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// What a person sets of a session holds for its next turn, also in another process.
func TestUpdate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	rec, err := r.engine.Update(t.Context(), id, SessionChange{Title: ptr(" Check the bearings "), Mode: ptr("plan"), Model: ptr("claude-haiku-4-5")})
	must(t, err)
	if rec.Title != "Check the bearings" || rec.Mode != "plan" || rec.PreferredModel != "claude-haiku-4-5" {
		t.Errorf("%+v", rec)
	}
	r.open() // another process
	got, err := r.engine.Get(t.Context(), id)
	must(t, err)
	if got.Title != rec.Title || got.PreferredModel != rec.PreferredModel {
		t.Errorf("%+v", got)
	}
	r.say(id, "go")
	if asked := r.provider.last(t).Model; asked != "claude-haiku-4-5" {
		t.Errorf("the model %q was asked", asked)
	}
	r.say(id, "go", func(q *Request) { q.Opts.Model = "claude-opus-4-5" })
	if asked := r.provider.last(t).Model; asked != "claude-opus-4-5" {
		t.Errorf("with an option of the turn, the model %q was asked", asked)
	}
	if rec, err = r.engine.Update(t.Context(), id, SessionChange{Title: ptr(""), Model: ptr("")}); err != nil || rec.Title != "" || rec.PreferredModel != "" || rec.Mode != "plan" {
		t.Errorf("%+v, %v", rec, err)
	}
	for name, c := range map[string]SessionChange{
		"nothing": {}, "a title of two lines": {Title: ptr("a\nb")}, "no mode": {Mode: ptr(" ")}, "an unknown mode": {Mode: ptr("planing")}, "a long model": {Model: ptr(string(make([]byte, 201)))},
	} {
		if _, err := r.engine.Update(t.Context(), id, c); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.engine.Update(t.Context(), "nobody", SessionChange{Title: ptr("x")}); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
}

// While a turn runs its session stays as it is, and what waits for the turn can be taken
// back.
func TestUpdateAndQueueOfARunningTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r.provider.does(func(ctx context.Context, q model.Request, yield func(model.Chunk, error) bool) {
		once.Do(func() { close(begun); <-release })
		says("done")(ctx, q, yield)
	})
	s, err := r.engine.Start(t.Context(), Request{SessionID: id, Message: "go"})
	must(t, err)
	wait(t, begun)
	if _, err := r.engine.Update(t.Context(), id, SessionChange{Title: ptr("x")}); !fault.Is(err, fault.TurnInProgress) {
		t.Errorf("while a turn runs: %v", err)
	}
	for _, text := range []string{"one", "two"} {
		must(t, r.engine.Steer(t.Context(), SteerRequest{SessionID: id, Message: text, Mode: session.FollowUp, Key: "key-of-the-sender-" + text}))
	}
	inputs, err := r.engine.Inputs(t.Context(), id)
	must(t, err)
	if len(inputs) != 2 || inputs[0].Message != "one" || inputs[1].Mode != session.FollowUp {
		t.Fatalf("%+v", inputs)
	}
	must(t, r.engine.DropInput(t.Context(), id, inputs[0].ID))
	for _, gone := range []string{inputs[0].ID, "../../" + id, ""} {
		if err := r.engine.DropInput(t.Context(), id, gone); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", gone, err)
		}
	}
	close(release)
	r.drain(s)
	entries, err := r.engine.Transcript(t.Context(), id)
	must(t, err)
	var said []string
	for _, e := range entries {
		if e.Kind == session.EntryInput {
			said = append(said, e.Message)
		}
	}
	if len(said) != 1 || said[0] != "two" {
		t.Errorf("the turn took %q", said)
	}
	if inputs, err := r.engine.Inputs(t.Context(), id); err != nil || len(inputs) != 0 {
		t.Errorf("after the turn: %v, %v", inputs, err)
	}
	if _, err := r.engine.Inputs(t.Context(), "nobody"); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
}
