package turn

import (
	"context"
	"errors"
	"fmt"

	"belay/internal/event"
	"belay/internal/fault"
)

// Exit codes of process:exit.
const (
	exitDone        = 0
	exitFailed      = 1
	exitTimedOut    = 124
	exitInterrupted = 130
)

// outcome is how a turn's model loop ended: an error, an interrupt, or a stop
// reason.
type outcome struct {
	exit   int
	reason string
	err    *fault.Error
}

// judge turns the error that ended the loop, or its absence, into an outcome.
// What the engine itself decided wins over what the provider made of it, and an
// interrupt wins even over an answer that came through complete.
func (t *running) judge(reason string, err error) outcome {
	switch cause := context.Cause(t.ctx); {
	case fault.Is(cause, fault.StorageFailure):
		return outcome{exit: exitFailed, err: fault.From(cause)}
	case errors.Is(cause, errInterrupted):
		return outcome{exit: exitInterrupted}
	case err == nil:
		return outcome{exit: exitDone, reason: reason}
	case errors.Is(cause, errWall):
		return outcome{exit: exitTimedOut, err: fault.New(fault.TurnTimeout, "the turn reached its time limit of %v", t.wall()).
			With("limitMs", t.wall().Milliseconds())}
	case errors.Is(cause, errStalled):
		stall := t.settings.rules.Limits.Stall
		return outcome{exit: exitFailed, err: fault.New(fault.SDKFailure, "the provider sent nothing for %v", stall).
			WithStatus(504).With("category", "REQUEST_TIMEOUT").With("provider", t.l.o.Provider.Name()).
			WithHint("send the turn again, or raise turn.stall_timeout")}
	default:
		f := fault.From(err)
		if f.Cause != nil {
			t.l.o.Logger.Error("turn failed", "session", t.session, "turn", t.id, "error", f.Cause)
		}
		return outcome{exit: exitFailed, err: f}
	}
}

// failureDrafts are the two events that end a failed turn (turn API REQ-12).
func failureDrafts(f *fault.Error, code int) []event.Draft {
	const severity = "error" // a fatal error is never a warning
	no := false
	return []event.Draft{
		{Type: event.TurnError, Data: event.Failure{
			Phase: "mid-stream", ErrorType: string(f.Type), Message: f.Message, Status: f.Status,
			Severity: severity, Fatal: true, Details: f.Details,
		}},
		{Type: event.ProcessExit, Data: event.Exit{
			ExitCode: code, Interrupted: &no, Error: f.Message, ErrorType: string(f.Type), Status: f.Status,
			Severity: severity, Fatal: true, ErrorDetails: f.Details,
		}},
	}
}

// interruptedDrafts end a turn that a person stopped.
func interruptedDrafts() []event.Draft {
	yes := true
	return []event.Draft{{Type: event.ProcessExit, Data: event.Exit{ExitCode: exitInterrupted, Interrupted: &yes}}}
}

// panicked is what becomes of a panic in a provider: the end of one turn.
func panicked(v any, stack []byte) error {
	return fault.New(fault.SDKFailure, "the provider crashed; this turn ended, nothing else").
		With("category", "PANIC").Because(fmt.Errorf("panic: %v\n%s", v, stack))
}
