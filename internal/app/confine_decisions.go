package app

import (
	"context"
	"slices"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Decisions implements [turn.Engine]. Those of projects elsewhere are left out.
func (c confined) Decisions(ctx context.Context, sessionID string) ([]permit.Request, error) {
	if sessionID != "" {
		if err := c.session(ctx, sessionID); err != nil {
			return nil, err
		}
	}
	open, err := c.engine.Decisions(ctx, sessionID)
	return slices.DeleteFunc(open, func(r permit.Request) bool { return !c.roots.allows(r.ProjectRoot) }), err
}

// Question implements [turn.Engine]. One of a project elsewhere is not found.
func (c confined) Question(ctx context.Context, id string) (permit.Question, error) {
	q, err := c.engine.Question(ctx, id)
	switch {
	case err != nil:
		return q, err
	case q.Open != nil && c.roots.allows(q.Open.ProjectRoot), q.Closed != nil && c.allowsClosed(*q.Closed):
		return q, nil
	}
	return permit.Question{}, fault.New(fault.NotFound, "there is no question %q", fault.Clip(id)).With("decisionId", fault.Clip(id)).
		WithHint("it may have been answered already; belay decision list has the open ones")
}

// Closed implements [turn.Engine]. Those of projects elsewhere are left out.
func (c confined) Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error) {
	if sessionID != "" {
		return within(c.session(ctx, sessionID), func() ([]permit.Closed, error) { return c.engine.Closed(ctx, sessionID, most) })
	}
	all, err := c.engine.Closed(ctx, sessionID, most)
	return slices.DeleteFunc(all, func(d permit.Closed) bool { return !c.allowsClosed(d) }), err
}

// allowsClosed is allows for a question that was answered. Records of older versions do
// not say in which project it was asked.
func (c confined) allowsClosed(d permit.Closed) bool {
	return c.roots.allows(d.ProjectRoot)
}

// Decide implements [turn.Engine]. The session must be named: without it, nobody
// knows whose question that is.
func (c confined) Decide(ctx context.Context, r turn.DecisionRequest) (permit.Decision, error) {
	if r.SessionID == "" {
		return permit.Decision{}, fault.Invalid([]fault.Problem{{Field: "sessionId", Message: "is required"}})
	}
	if err := c.session(ctx, r.SessionID); err != nil {
		return permit.Decision{}, err
	}
	return c.engine.Decide(ctx, r)
}

func (c confined) Changes(ctx context.Context, sessionID, turnID string) ([]changes.ChangeSet, error) {
	return within(c.session(ctx, sessionID), func() ([]changes.ChangeSet, error) { return c.engine.Changes(ctx, sessionID, turnID) })
}

func (c confined) Undo(ctx context.Context, r changes.UndoRequest) (changes.UndoResult, error) {
	return within(c.session(ctx, r.SessionID), func() (changes.UndoResult, error) { return c.engine.Undo(ctx, r) })
}

func (c confined) Kept(ctx context.Context, projectRoot string) ([]changes.KeptChange, error) {
	return within(c.roots.project(projectRoot), func() ([]changes.KeptChange, error) { return c.engine.Kept(ctx, projectRoot) })
}

func (c confined) KeptChange(ctx context.Context, projectRoot, id string) (changes.KeptChange, error) {
	return within(c.roots.project(projectRoot), func() (changes.KeptChange, error) { return c.engine.KeptChange(ctx, projectRoot, id) })
}

func (c confined) ApplyKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return within(c.roots.project(r.ProjectRoot), func() (changes.KeptResult, error) { return c.engine.ApplyKept(ctx, r) })
}

func (c confined) DropKept(ctx context.Context, r changes.KeptRequest) (changes.KeptResult, error) {
	return within(c.roots.project(r.ProjectRoot), func() (changes.KeptResult, error) { return c.engine.DropKept(ctx, r) })
}
