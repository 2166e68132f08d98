package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"belay/internal/bus"
	"belay/internal/bus/contract"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
)

// output publishes what happens in the turn of a request: the output in one order,
// and between its messages the signals about questions.
type output struct {
	j     *job
	box   *bus.Outbox
	names map[string]string // of the tools, by call
	open  map[string]string // questions without an answer: their calls, by id
	text  strings.Builder   // what was said so far, a little more than a message holds
	// since says that calls, or people, came after what was said last.
	since bool
	final string // the model's last answer, once it is known
	notes []string
	why   *contract.Failure
}

func newOutput(j *job) *output {
	return &output{
		j: j, box: bus.NewOutbox(j.w.o.Bus, j.envelope("")), names: map[string]string{}, open: map[string]string{},
	}
}

// copy publishes the events of the stream. The error is io.EOF once the end of the
// turn is published. Any other is the stream's: copy may be called again.
func (o *output) copy(ctx context.Context, stream turn.Stream) error {
	for {
		events, err := stream.Next(ctx)
		for _, e := range events {
			if err := o.event(ctx, e); err != nil {
				return err
			}
			if e.Ends() {
				return io.EOF
			}
		}
		if errors.Is(err, io.EOF) {
			err := o.end(ctx, lastPlace, contract.StateFailed, &contract.Failure{
				Code: string(fault.SDKFailure), Message: "the end of the turn is not on record", Hint: "ask again",
			})
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// event publishes what an event means.
func (o *output) event(ctx context.Context, e event.Event) error {
	switch e.Type {
	case event.PermissionAsked:
		return o.asked(ctx, e)
	case event.PermissionGiven:
		return o.answered(ctx, e)
	case event.ProcessExit:
		var x event.Exit
		_ = json.Unmarshal(e.Data, &x) // what cannot be read counts as failed below
		at := bus.Place{Event: e.Seq}
		if e.Seq == 0 {
			at = lastPlace // made up for this reader
		}
		state, why := o.outcome(x, len(e.Data) > 0)
		return o.end(ctx, at, state, why)
	}
	for part, p := range o.translate(ctx, e) {
		at := bus.Place{Event: e.Seq, Part: part}
		if err := o.publish(ctx, at, p); err != nil {
			return err
		}
	}
	return nil
}

// publish publishes a message of the output. One that the contract refuses is
// replaced by a note: it must not stop what follows.
func (o *output) publish(ctx context.Context, at bus.Place, p contract.Payload) error {
	err := o.j.w.persist(ctx, func() error { return o.box.Publish(ctx, at, p) })
	o.j.w.o.step("published")
	if err == nil || !permanent(err) {
		return err
	}
	o.j.log().Error("bus: an output cannot be carried", "type", contract.TypeOf(p), "error", err)
	note := &contract.Warning{Code: "NOT_CARRIED", Message: "a part of the output cannot be shown here; the session has it"}
	return o.j.w.persist(ctx, func() error { return o.box.Publish(ctx, at, note) })
}

// outcome is how the turn ended.
func (o *output) outcome(x event.Exit, readable bool) (contract.State, *contract.Failure) {
	if n := x.Calls.String(); n != "" {
		o.notes = append(o.notes, n)
	}
	switch {
	case readable && x.ExitCode == 0:
		return contract.StateResolved, nil
	case x.ExitCode == exitInterrupted || x.Interrupted != nil && *x.Interrupted:
		return contract.StateCancelled, nil
	case o.why != nil:
		return contract.StateFailed, o.why
	case x.ErrorType != "":
		return contract.StateFailed, contract.FailureOf(fault.New(fault.Type(x.ErrorType), "%s", x.Error))
	default:
		return contract.StateFailed, contract.FailureOf(fault.New(fault.SDKFailure, "the turn failed"))
	}
}

// exitInterrupted is the exit code of a turn that somebody interrupted.
const exitInterrupted = 130

// end publishes the last message of the output, and the final state.
func (o *output) end(ctx context.Context, at bus.Place, state contract.State, why *contract.Failure) error {
	if err := o.closeOpen(ctx); err != nil {
		return err
	}
	whole := cmp.Or(o.text.String(), o.final)
	last := &contract.ResponseText{State: state, Error: why, Note: contract.Cut(strings.Join(o.notes, "; "), maxNote)}
	for size := contract.MaxText; ; size /= 2 {
		last.FinalText = contract.Cut(whole, size)
		last.Truncated = len(last.FinalText) < len(whole)
		err := o.j.w.persist(ctx, func() error { return o.box.Publish(ctx, at, last) })
		if err == nil {
			break
		}
		if !fault.Is(err, fault.RequestTooLarge) || size == 0 {
			return err
		}
	}
	o.j.w.o.step("ended")
	o.j.report(ctx, contract.LifecycleChanged{State: state, Error: why})
	o.j.w.o.step("reported")
	return nil
}
