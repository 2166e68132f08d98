// Package tool is what a model can do: the [Tool] interface, the set that a turn
// offers, and the way of a call through it.
//
// A call passes four stations. The set finds the tool by the name that the
// provider gave back and checks the input against the tool's schema ([Set.Prepare]);
// the tool checks what a schema cannot say and answers with a [Call], which says
// what it would do ([Call.Effect]) and has done nothing; package permit rules on
// that; and [Call.Run] does it, within the limits of the [Environment]. A call that a
// model got wrong is not an error of the turn: it is a [Result] that failed, with
// the next step in its text.
//
// Tools see the project through its os.Root, write only what the environment's
// scope lets them, and record every change that they make ([Ledger]).
//
// Contract: turn API REQ-04; architecture, "A model loop" and "Security posture".
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"belay/internal/attachment"
	"belay/internal/permit"
)

// Tool is one thing that a model can do. Implementations keep no state of a
// turn and are safe for concurrent use.
type Tool interface {
	Spec() Spec
	// Prepare checks input, which the schema accepted, and returns a call that
	// has done nothing yet. A [*Refusal] reports to the model what was wrong; any
	// other error ends the turn.
	Prepare(ctx context.Context, w *Environment, input json.RawMessage) (Call, error)
}

// Spec describes a tool to the model.
type Spec struct {
	// Name is canonical: ^[A-Za-z][A-Za-z0-9_.-]{0,63}$. Providers may get
	// another ([Set.WireName]).
	Name        string
	Description string
	// Schema is the JSON Schema of the input, an object, with the keywords that
	// package schema checks.
	Schema json.RawMessage
	// Unchecked is set where whoever carries the call out checks its input, and the schema
	// has what package schema does not understand.
	Unchecked bool
}

// Call is one call of a tool, checked. It is used once.
type Call interface {
	// Effect says what Run would do.
	Effect() permit.Effect
	// Run does it. A [*Refusal] reports to the model what went wrong; any other error
	// ends the turn. Run honours ctx and leaves nothing running.
	Run(ctx context.Context) (Result, error)
}

// Foreseer is a [Call] that knows before Run whether Run fails.
type Foreseer interface {
	// Foresee says why Run would fail by the files as they are now, nil where it may succeed.
	// It has no effect.
	Foresee(ctx context.Context) error
}

// Result is what a model gets back.
type Result struct {
	// Text is what the model reads, at most the environment's OutputBytes.
	Text string
	// Truncated is set where the tool had more to say.
	Truncated bool
	// Value is the result for a program, nil where Text is all of it.
	Value map[string]any
	// Items are files that the model is to see, in the project's blob store.
	Items []attachment.Item
	// Sent are files that people are to get, in the project's blob store.
	Sent []attachment.Item
	// Failed is set where the tool did its work and the work failed, such as a
	// command that exited with 1.
	Failed bool
	// Overreach is what the call did that no agent may, "" for nothing. It goes to the
	// audit log.
	Overreach string
	// Notices are sentences that people see at once, such as the address of a port that
	// was opened for them.
	Notices []string
	// Progress is set where the same call is not in vain: it waits for what goes on.
	Progress bool
	// Changes are what the call changed, where none of it is real yet. Anyone who gets
	// them decides their outcome, and calls one of their methods.
	Changes Changes
	// Kept is why some of what the call changed is kept for a person and not real, "" where
	// nothing is: nobody decided on it, or it did not fit what the project is now.
	Kept string
}

// Changes are what a call changed in the project, and what is not real yet. Each
// of Apply, Keep and Discard uses them up and returns the call's result, which says their
// outcome.
type Changes interface {
	// Effect is what would change.
	Effect() permit.Effect
	// Split limits them to those that no program runs by itself, where there are others. The
	// result of the decision has the others as its Changes. It is false where all are of one
	// kind, or were split before.
	Split() bool
	// Second reports whether they are those others: a second question is about them.
	Second() bool
	// Hold keeps them, with the others, through the death of this process; a repeated call finds
	// them again and does not run. Question is the id of the question that decides on them. Why
	// is a sentence for people.
	Hold(ctx context.Context, question, why string) error
	// Apply makes them real: those of these paths only, all for none.
	Apply(ctx context.Context, only []string) (Result, error)
	// Keep leaves them for a person to apply or to drop later.
	Keep(ctx context.Context, why string) (Result, error)
	// Discard drops them.
	Discard(ctx context.Context, why string) (Result, error)
}

// Resumable is a call that may have run already, in a process that died while its
// changes were held.
type Resumable interface {
	Call
	// Held reports whether a repeated call would find its changes. The context is
	// that of the call ([WithOrigin]).
	Held(ctx context.Context) bool
}

// Refusal is why a call was not done, or not to its end, in words for the model.
type Refusal struct {
	// Reason is a sentence; Hint, where there is one, the next step.
	Reason, Hint string
	// Authority is set where the call reached for what the agent may never do:
	// such refusals go to the audit log.
	Authority bool
	// Err is the cause, for the server's log; it never reaches the model.
	Err error
}

// Refuse returns a refusal with a formatted reason.
func Refuse(format string, args ...any) *Refusal {
	return &Refusal{Reason: fmt.Sprintf(format, args...)}
}

// WithHint returns r with a next step.
func (r *Refusal) WithHint(format string, args ...any) *Refusal {
	r.Hint = fmt.Sprintf(format, args...)
	return r
}

// Because returns r with its cause.
func (r *Refusal) Because(err error) *Refusal {
	r.Err = err
	return r
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Hint == "" {
		return r.Reason
	}
	return r.Reason + " (" + r.Hint + ")"
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// Result is the refusal as the model gets it.
func (r *Refusal) Result() Result { return Result{Text: r.Error(), Failed: true} }

// AsRefusal reports whether err is for the model.
func AsRefusal(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}
