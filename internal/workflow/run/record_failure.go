package run

import (
	"fmt"
	"maps"
	"strings"

	"belay/internal/fault"
)

// Failure says why a run, a task or an attempt failed.
type Failure struct {
	Type    fault.Type `json:"type"`
	Message string     `json:"message"`
	// Status is the failure's as an answer over HTTP; a provider's is what it answered.
	Status  int            `json:"status,omitempty"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// failureOf is the record of an error.
func failureOf(err error) *Failure {
	f := fault.From(err)
	return &Failure{Type: f.Type, Message: f.Message, Status: f.Status, Hint: f.NextStep(), Details: f.Details}
}

// Fault is the error that f is the record of. What it advises is f's own where that
// says more than every error of its type.
func (f *Failure) Fault() *fault.Error {
	e := fault.New(f.Type, "%s", f.Message)
	if f.Hint != e.NextStep() {
		e = e.WithHint("%s", f.Hint)
	}
	if f.Status != 0 {
		e = e.WithStatus(f.Status)
	}
	e.Details = maps.Clone(f.Details)
	return e
}

// of is the failure of a task as that of its run, or of the task that it is within. Of
// tasks within each other the innermost is named: its key has those of the others.
func (f *Failure) of(task string) error {
	e := f.Fault()
	if !strings.HasPrefix(f.Message, "the task "+task+"/") {
		e.Message = fmt.Sprintf("the task %s failed: %s", task, f.Message)
	}
	return e.With("task", task)
}

// lose notes why the end of a run is not on record.
func (r *Runner) lose(id string, err error) {
	f := fault.From(err)
	lost := failureOf(f)
	if f.Cause != nil {
		lost.Message += ": " + f.Cause.Error()
	}
	r.mu.Lock()
	r.lost[id] = lost
	r.mu.Unlock()
}

// lostBy is why the end of a run is not on record, if this process knows it.
func (r *Runner) lostBy(id string) *Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost[id]
}
