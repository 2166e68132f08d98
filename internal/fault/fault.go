// Package fault is the only source of errors that leave the program: every wire
// error has a type, an HTTP status, a sentence for a person and a next step.
//
// Packages that know why an operation cannot go on return a [*Error] (or wrap
// one with %w); surfaces call [From] and encode what they get. An error that
// nobody classified becomes SDK_FAILURE 500 with a neutral message: its text
// stays in the server's log, because it may hold paths or secrets.
//
// The table in docs/errors.md is generated from [Types]. Contract: the HTTP
// contract, sections "Settled questions" and "Errors".
package fault

import (
	"errors"
	"fmt"
	"maps"
)

// Type is the stable code of an error on the wire.
type Type string

// Error is a failure that a caller outside the process may see.
type Error struct {
	Type   Type
	Status int
	// Message is one sentence naming what was wrong: the field, file or limit.
	Message string
	// Hint is the next step, without a trailing period rule of its own. Empty
	// means the type's own hint.
	Hint string
	// Details is the machine-readable part; nil is absent on the wire.
	Details map[string]any
	// Cause is for the log, never for the wire.
	Cause error
}

// New returns an error of type t with the type's default status.
func New(t Type, format string, args ...any) *Error {
	return &Error{Type: t, Status: t.Status(), Message: fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *Error) Error() string { return string(e.Type) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// With returns a copy of e whose details also hold key.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value
	return &c
}

// WithStatus returns a copy of e with another HTTP status.
func (e *Error) WithStatus(status int) *Error {
	c := *e
	c.Status = status
	return &c
}

// WithHint returns a copy of e with its own next step.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Because returns a copy of e that wraps cause.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// NextStep returns the error's hint, else that of the shortage that caused it, else its
// type's.
func (e *Error) NextStep() string {
	if e.Hint != "" {
		return e.Hint
	}
	if s := shortageIn(e.Cause); s != nil {
		return s.hint
	}
	return specs[e.Type].Hint
}

// From returns err as a wire error: the first [*Error] in its chain,
// STORAGE_FAILURE where the machine lacks what it takes to write a file, or
// SDK_FAILURE 500 wrapping it. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if s := shortageIn(err); s != nil {
		return New(StorageFailure, "%s", s.message).Because(err)
	}
	return &Error{
		Type: SDKFailure, Status: 500, Cause: err,
		Message: "an internal error ended the operation; the server's log has the details",
	}
}

// Is reports whether err's chain holds an error of type t.
func Is(err error, t Type) bool {
	var e *Error
	return errors.As(err, &e) && e.Type == t
}

// Innermost is the error at the end of err's chain: what the system said, without the names
// of calls and addresses around it.
func Innermost(err error) error {
	for under := errors.Unwrap(err); under != nil; under = errors.Unwrap(err) {
		err = under
	}
	return err
}

// Body is the JSON shape of an error on the wire.
type Body struct {
	Error BodyError `json:"error"`
}

// BodyError is the inner object of [Body].
type BodyError struct {
	Type    Type   `json:"type"`
	Message string `json:"message"`
	// Hint is the next step.
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// Body returns e in its wire shape.
func (e *Error) Body() Body {
	return Body{Error: BodyError{Type: e.Type, Message: e.Message, Hint: e.NextStep(), Details: e.Details}}
}
