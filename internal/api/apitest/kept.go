package apitest

import (
	"context"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn/changes"
)

// KeptID is the kept change that every project has until it is settled: of a command
// that made two files. KeptBusy is one that a turn asks about.
const (
	KeptID   = "chg_0123456789abcdef"
	KeptBusy = "chg_0123456789abcdee"
)

func kept(id string) changes.KeptChange {
	c := changes.KeptChange{
		ID: id, Created: Start, SessionID: "s1", TurnID: "t1", ToolCallID: "c1",
		Why: "a person was asked and did not answer in time",
		Effect: &permit.Effect{
			Tool: "bash", Kind: permit.Execute, Summary: "touch a.txt b.txt", Command: "touch a.txt b.txt",
			Paths: []string{"a.txt", "b.txt"}, Done: &permit.Done{Files: 2, Output: "exit code 0\n"},
		},
	}
	if id == KeptBusy {
		c.Why, c.DecisionID = "a person is asked about the changes", "dec_1"
	}
	return c
}

// Kept implements turn.Engine.
func (e *Engine) Kept(context.Context, string) (all []changes.KeptChange, _ error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range []string{KeptID, KeptBusy} {
		if !slices.Contains(e.settled, id) {
			all = append(all, kept(id))
		}
	}
	return all, e.Fail["Kept"]
}

// KeptChange implements turn.Engine.
func (e *Engine) KeptChange(ctx context.Context, root, id string) (changes.KeptChange, error) {
	all, err := e.Kept(ctx, root)
	if err != nil {
		return changes.KeptChange{}, err
	}
	for _, c := range all {
		if c.ID == id {
			c.Effect.Diff = "--- /dev/null\n+++ b/a.txt\n"
			return c, e.Fail["KeptChange"]
		}
	}
	return changes.KeptChange{}, fault.New(fault.NotFound, "the project has no kept changes %q", id).With("id", id)
}

// ApplyKept implements turn.Engine.
func (e *Engine) ApplyKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	done, err := settle(ctx, e, r, "ApplyKept")
	if err != nil {
		return changes.KeptResult{}, err
	}
	done.Paths, done.SessionID, done.TurnID = []string{"a.txt", "b.txt"}, "s1", "t1"
	if len(r.Only) > 0 {
		done.Paths, done.Left = r.Only, 2-len(r.Only)
	}
	return done, nil
}

// DropKept implements turn.Engine.
func (e *Engine) DropKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return settle(ctx, e, r, "DropKept")
}

func settle(ctx context.Context, e *Engine, r changes.KeptRequest, method string) (changes.KeptResult, error) {
	c, err := e.KeptChange(ctx, r.ProjectRoot, r.ID)
	if err != nil {
		return changes.KeptResult{}, err
	}
	if c.DecisionID != "" {
		return changes.KeptResult{}, fault.New(fault.TurnInProgress, "a turn still asks about the changes %s", r.ID).With("id", r.ID).With("decisionId", c.DecisionID)
	}
	if slices.ContainsFunc(r.Only, func(name string) bool { return !slices.Contains(c.Effect.Paths, name) }) {
		return changes.KeptResult{}, fault.New(fault.InvalidRequest, "only: %s: it is not among the changes that are kept", strings.Join(r.Only, ", ")).With("field", "only")
	}
	if err := e.Fail[method]; err != nil {
		return changes.KeptResult{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(r.Only) != 1 {
		e.settled = append(e.settled, r.ID)
	}
	return changes.KeptResult{ID: r.ID, Paths: []string{}}, nil
}
