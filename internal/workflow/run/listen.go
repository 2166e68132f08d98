package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/turn"
)

// listener reads one turn's events for what the run needs of them.
type listener struct {
	x            *execution
	key, session string

	text   string
	reason string
	usage  *event.Tokens
	exit   *event.Exit
	// asked are the questions that wait, pauses what stands still meanwhile.
	asked  map[string]bool
	pauses pauses
}

// patience is how long a turn that was interrupted may take to end.
const patience = 30 * time.Second

// hear reads the turn to its end. When ctx is done the turn is interrupted; its
// end is read all the same, so that its session is whole.
func (l *listener) hear(ctx context.Context, s turn.Stream) error {
	life, leave := context.WithCancelCause(context.WithoutCancel(ctx))
	defer leave(nil)
	l.asked, l.pauses = map[string]bool{}, pausesOf(ctx)
	defer func() { l.answered(slices.Collect(maps.Keys(l.asked))...) }()
	stop := context.AfterFunc(ctx, func() {
		if err := l.interrupt(life, s); err != nil {
			leave(err)
		}
	})
	defer stop()
	for {
		events, err := s.Next(life)
		for _, e := range events {
			if err := l.take(e); err != nil {
				return errors.Join(err, l.interrupt(life, s)) // nobody hears what it does from here on
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return l.verdict(ctx)
		case errors.Is(err, turn.ErrLeft), life.Err() != nil: // the next server goes on with it, or it was stopped
			return err
		case err != nil:
			return errors.Join(err, l.interrupt(life, s))
		}
	}
}

// interrupt stops the turn, which may have ended by itself in between.
func (l *listener) interrupt(ctx context.Context, s turn.Stream) error {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := l.x.r.o.Engine.Interrupt(asking, l.session, s.Turn()); err != nil && !fault.Is(err, fault.SessionNotFound) {
		return fmt.Errorf("interrupt the turn: %w", err)
	}
	return nil
}

func (l *listener) take(e event.Event) error {
	var err error
	read := func(v any) { err = json.Unmarshal(e.Data, v) }
	switch e.Type {
	case event.ChatComplete:
		var d event.Text
		read(&d)
		l.text = d.Text
	case event.SessionComplete:
		var d event.Complete
		read(&d)
		l.reason = d.StopReason
	case event.Usage:
		var d event.UsageReport
		read(&d)
		l.usage = &d.Totals
	case event.ProcessExit:
		l.exit = &event.Exit{}
		read(l.exit)
	case event.PermissionAsked:
		var d event.Permission
		read(&d)
		// The command that a question about a host is about goes on, and the question with it.
		if d.Name != permit.NetworkTool {
			if l.asked[d.DecisionID] = true; len(l.asked) == 1 {
				l.pauses.pause()
			}
		}
		err = errors.Join(err, l.x.records.journal.add(TaskQuestion, l.key, Asked{Session: l.session, DecisionID: d.DecisionID, Tool: d.Name}))
	case event.PermissionGiven:
		var d event.Verdict
		read(&d)
		l.answered(d.DecisionID)
		err = errors.Join(err, l.x.records.journal.add(TaskAnswer, l.key, Asked{Session: l.session, DecisionID: d.DecisionID, Verdict: d.Verdict, By: d.By}))
	}
	if err != nil {
		return fmt.Errorf("event %d of the turn: %w", e.Seq, err)
	}
	return nil
}

// answered notes that questions wait no more.
func (l *listener) answered(ids ...string) {
	waited := len(l.asked) > 0
	for _, id := range ids {
		delete(l.asked, id)
	}
	if waited && len(l.asked) == 0 {
		l.pauses.resume()
	}
}

// calls counts the turn's calls that were not permitted.
func (l *listener) calls() *event.Calls {
	if l.exit == nil {
		return nil
	}
	return l.exit.Calls
}

// verdict says whether the turn gave a whole answer.
func (l *listener) verdict(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case l.exit == nil:
		return fault.New(fault.TaskFailed, "the turn in session %s has no end", l.session).With("sessionId", l.session)
	case l.exit.Interrupted != nil && *l.exit.Interrupted:
		return fault.New(fault.TaskFailed, "somebody interrupted the turn in session %s", l.session).With("sessionId", l.session)
	case l.exit.ExitCode != 0:
		f := fault.New(fault.Type(l.exit.ErrorType), "%s", l.exit.Error)
		f.Status = l.exit.Status
		f.Details = l.exit.ErrorDetails
		return f.With("sessionId", l.session)
	}
	switch model.StopReason(l.reason) {
	case model.StopEndTurn, model.StopSequence:
		return nil
	case model.StopBudget, model.StopMaxTurns, model.StopMaxTokens:
		return fault.New(fault.BudgetExceeded, "the answer is not whole: the turn in session %s ended at its budget (%s)", l.session, l.reason).
			With("stopReason", l.reason).With("sessionId", l.session).WithHint(hintBudget)
	}
	f := fault.New(fault.TaskFailed, "the answer is not whole: the model stopped with %s", l.reason).
		With("stopReason", l.reason).With("sessionId", l.session)
	if l.reason == string(model.StopRepeats) {
		f = f.WithHint("permit the refused call with --allow or another --mode, or change the workflow so that it needs none")
	}
	return f
}
