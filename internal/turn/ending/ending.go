// Package ending has the events that end a turn, and the failures of turns that ended
// without their own doing. A turn that ends here and one that is ended after a crash
// say the same.
package ending

import (
	"fmt"

	"belay/internal/event"
	"belay/internal/fault"
)

// Exit codes of process:exit.
const (
	Done        = 0
	Failed      = 1
	TimedOut    = 124
	Interrupted = 130
)

// Complete are the two events that end a turn that ran to its end.
func Complete(how event.Complete) []event.Draft {
	return []event.Draft{
		{Type: event.SessionComplete, Data: how},
		{Type: event.ProcessExit, Data: event.Exit{ExitCode: Done}},
	}
}

// WithCalls says in the last event of a turn, process:exit, which calls were not
// permitted.
func WithCalls(drafts []event.Draft, calls event.Calls) []event.Draft {
	last := &drafts[len(drafts)-1]
	if exit, ok := last.Data.(event.Exit); ok {
		exit.Calls = calls.Plus(nil)
		last.Data = exit
	}
	return drafts
}

// Failure are the two events that end a failed turn (turn API REQ-12).
func Failure(f *fault.Error, code int) []event.Draft {
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

// Interruption is the event that ends a turn that a person stopped.
func Interruption() []event.Draft {
	yes := true
	return []event.Draft{{Type: event.ProcessExit, Data: event.Exit{ExitCode: Interrupted, Interrupted: &yes}}}
}

// Panic is the category of a failure that was a panic.
const Panic = "PANIC"

// Panicked is the outcome of a panic: the end of one turn.
func Panicked(what string, v any, stack []byte) *fault.Error {
	return fault.New(fault.SDKFailure, "%s; this turn ended, nothing else", what).
		With("category", Panic).Because(fmt.Errorf("panic: %v\n%s", v, stack))
}

// Died is the failure of a turn whose process ended before it did.
func Died() *fault.Error {
	return fault.New(fault.SDKFailure, "the process that ran this turn ended before it did").With("category", "PROCESS_ENDED")
}
