package turn

import (
	"context"
	"errors"
	"strings"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/quantity"
	"belay/internal/session"
	"belay/internal/turn/agent"
	"belay/internal/turn/ending"
)

// outcome is how a turn ended: with an error, by an interrupt, or complete.
type outcome struct {
	agent.Completion
	exit int
	err  *fault.Error
}

// judge turns what ended the loop into an outcome. What the engine itself
// decided wins over what the provider made of it, and an interrupt wins even
// over an answer that came through complete.
func (t *turn) judge(done agent.Completion, err error) outcome {
	switch cause := context.Cause(t.Context); {
	case fault.Is(cause, fault.StorageFailure):
		return outcome{exit: ending.Failed, err: fault.From(cause)}
	case errors.Is(cause, agent.ErrInterrupted):
		return outcome{exit: ending.Interrupted}
	case err == nil:
		return outcome{Completion: done, exit: ending.Done}
	case errors.Is(cause, agent.ErrTimeLimit):
		return outcome{exit: ending.TimedOut, err: fault.New(fault.TurnTimeout, "the turn reached its time limit of %s (opts.timeoutMs, turn.wall_limit)", quantity.Duration(t.wall())).
			With("limitMs", t.wall().Milliseconds())}
	default:
		if f := t.main.Settings.StallFailure(cause); f != nil {
			return outcome{exit: ending.Failed, err: f}
		}
		f := fault.From(err)
		if f.Cause != nil {
			t.Logger.Error("turn failed", "error", f.Cause)
		}
		return outcome{exit: ending.Failed, err: f}
	}
}

// finish records how the turn ended, makes the record durable and, last of all,
// notifies the readers. Where that fails, the log at least says so; where even that
// cannot be written, readers are notified by other means.
func (t *turn) finish(o outcome) {
	err := t.conclude(o)
	if err == nil {
		t.recorded(o)
		return
	}
	t.Logger.Error("record the end of a turn", "error", err)
	if err := t.correct(o); err != nil {
		t.Logger.Error("correct the end of a turn", "error", err)
	}
	drafts := ending.WithCalls(ending.Failure(fault.From(err), ending.Failed), t.Spent.Calls)
	if t.failed { // one turn:error is enough, and process:exit says what failed last
		drafts = drafts[1:]
	}
	failed := outcome{exit: ending.Failed, err: fault.From(err)}
	t.report(&failed)
	if t.Events.Emit(drafts...) != nil {
		t.lose(drafts)
		return
	}
	t.recorded(failed)
}

func (t *turn) conclude(o outcome) error {
	defer t.said.Store(true)
	unheard, err := t.main.LateInputs()
	if err != nil {
		return err
	}
	end := session.Entry{
		Kind: session.EntryEnd, Turn: t.ID, Time: session.Time{Time: t.Clock()},
		StopReason: o.Reason, ExitCode: &o.exit, Usage: t.Spent.Usage(), Audit: (*session.AuditPosition)(t.Audit.Position()),
	}
	if o.err != nil {
		end.Error = t.Clean(o.err.Message)
	}
	err = t.Transcript.Append(append(unheard, end)...)
	if err != nil {
		return err
	}
	t.ended = true
	drafts := ending.WithCalls(append(t.Events.TakeOwed(), o.drafts()...), t.Spent.Calls)
	if err := t.Events.Emit(drafts[:len(drafts)-1]...); err != nil {
		return err
	}
	t.failed = o.err != nil
	if err := t.Lease.Commit(context.WithoutCancel(t.Context)); err != nil {
		return err
	}
	t.report(&o)
	t.said.Store(true)
	return t.Events.Emit(drafts[len(drafts)-1])
}

// recorded notes how the turn ended, which is in the log. What ended for want of
// the means to write may lack those to read as well.
func (t *turn) recorded(o outcome) {
	t.exit.Store(&o)
	if o.err != nil && o.err.Type == fault.StorageFailure {
		t.ends.Keep(t.SessionID, t.ID, o.drafts(), true)
	}
}

// lose keeps the end of a turn that could not be recorded for its readers, and
// wakes those that wait for it.
func (t *turn) lose(drafts []event.Draft) {
	events := t.ends.Keep(t.SessionID, t.ID, drafts, false)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.synthetic = events
	close(t.lost)
}

// unrecorded returns the synthetic end of the turn, nil if its end is in the log.
func (t *turn) unrecorded() []event.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.synthetic
}

// correct adds a second end to the transcript, which counts, where the first says
// that all went well: the log is about to say that it did not. The tokens are in
// the first. Without a first, the next lease adds what is missing: an end here would
// hide that.
func (t *turn) correct(o outcome) error {
	if !t.ended || t.Transcript.Err != nil || o.exit == ending.Failed {
		return nil
	}
	failed := ending.Failed
	return t.Transcript.Append(session.Entry{Kind: session.EntryEnd, Turn: t.ID, Time: session.Time{Time: t.Clock()}, ExitCode: &failed})
}

// drafts are the events that end the turn; the last is process:exit.
func (o outcome) drafts() []event.Draft {
	switch {
	case o.exit == ending.Interrupted:
		return ending.Interruption()
	case o.err != nil:
		return ending.Failure(o.err, o.exit)
	}
	drafts := []event.Draft{{Type: event.ChatComplete, Data: event.Text{Text: o.Text}}}
	if o.Reason != string(model.StopEndTurn) {
		drafts = append(drafts, event.Draft{Type: event.TurnWarning, Data: event.Warning{
			Code: strings.ToUpper(o.Reason), Message: o.Warning(),
		}})
	}
	return append(drafts, ending.Complete(event.Complete{StopReason: o.Reason, ContextTokens: o.ContextTokens})...)
}

// retired reports whether the turn's lease is free again.
func (t *turn) retired() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}
