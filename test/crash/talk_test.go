//go:build crashtest

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
)

// patience is how long a test waits for what must come.
const patience = 5 * time.Minute

// talk is a turn under way.
type talk struct {
	turn.Stream
	r    turn.Request
	exit *event.Exit
}

// begin starts a turn of the scenario.
func (w *world) begin(a *app.App, r turn.Request) *talk {
	w.t.Helper()
	if w.retries {
		r.IdempotencyKey = "" // it would lead to the turn that failed
	}
	s, err := a.Engine.Start(context.Background(), r)
	w.try(err)
	k := &talk{Stream: s, r: r}
	w.talks[k] = true
	return k
}

// hear reads a turn to its end. Its events are seen, and with process:exit it is
// acknowledged.
func (w *world) hear(k *talk, each func(event.Event)) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := batches(ctx, k, func(events []event.Event) {
		for _, e := range events { // each may end the scenario
			w.see(k, e)
		}
		for _, e := range events {
			if each != nil {
				each(e)
			}
		}
	})
	delete(w.talks, k)
	if err == nil && k.exit == nil {
		err = errors.New("the turn's stream ended without process:exit")
	}
	return errors.Join(err, k.Close())
}

// see notes an event that the reader of a turn got.
func (w *world) see(k *talk, e event.Event) {
	s := step{ack: k.r.SessionID, seen: &e}
	if e.Ends() {
		k.exit = new(event.Exit)
		if err := json.Unmarshal(e.Data, k.exit); err != nil {
			w.t.Errorf("%s: %v", e.Data, err)
		}
		if id := k.Turn(); k.exit.ExitCode == 0 {
			s.kept = promise{Kind: "turn", Session: k.r.SessionID, Turn: id, Message: k.r.Message, Key: k.r.IdempotencyKey, Digest: k.r.BodyDigest}.holds
		}
	}
	w.note(s)
}

// turn runs a turn of the scenario to its end.
func (w *world) turn(a *app.App, r turn.Request) *talk {
	w.t.Helper()
	k := w.begin(a, r)
	w.end(k, nil)
	return k
}

// end is hear of a turn that must go well.
func (w *world) end(k *talk, each func(event.Event)) {
	w.t.Helper()
	if err := w.hear(k, each); err != nil {
		w.try(fmt.Errorf("the turn %q: %w", k.r.Message, err))
	}
	if k.exit.ExitCode == 1 {
		w.try(k.fault())
	}
}

// fault is the error with which a turn ended.
func (k *talk) fault() error {
	return &fault.Error{Type: fault.Type(k.exit.ErrorType), Status: k.exit.Status, Message: k.exit.Error}
}

// drain reads a stream to its end.
func drain(ctx context.Context, s turn.Stream, each func(event.Event)) error {
	return batches(ctx, s, func(events []event.Event) {
		for _, e := range events {
			each(e)
		}
	})
}

// batches is drain by what is read at once.
func batches(ctx context.Context, s turn.Stream, each func([]event.Event)) error {
	for {
		events, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(events)
	}
}

// say runs a turn and returns its events. Where a dead process left a turn that
// waits for a person, that one is interrupted first. A call that is asked about is
// allowed.
func say(a *app.App, r turn.Request) (all []event.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := a.Engine.Start(ctx, r)
	if fault.Is(err, fault.TurnInProgress) {
		if err := a.Engine.Interrupt(ctx, r.SessionID, ""); err != nil {
			return nil, fmt.Errorf("interrupt the turn of a dead process: %w", err)
		}
		r.Opts.OnBusy = "queue"
		s, err = a.Engine.Start(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = drain(ctx, s, func(e event.Event) {
		all = append(all, e)
		if e.Type == event.PermissionAsked {
			if _, err := decide(a, r.SessionID, e, permit.VerdictAllow); err != nil {
				cancel()
			}
		}
	})
	return all, err
}

// decide answers the question that an event tells of, and returns its id.
func decide(a *app.App, sessionID string, e event.Event, v permit.Verdict) (string, error) {
	var asked struct{ DecisionID string }
	if err := json.Unmarshal(e.Data, &asked); err != nil {
		return "", err
	}
	_, err := a.Engine.Decide(context.Background(), turn.DecisionRequest{SessionID: sessionID, DecisionID: asked.DecisionID, Verdict: v, By: "the person"})
	return asked.DecisionID, err
}
