package turn

import (
	"context"
	"time"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
)

// PermissionRequests takes the questions that a person must answer, and the answers;
// [permit.Requests] is one.
type PermissionRequests interface {
	Requests
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	Decide(ctx context.Context, sessionID, id string, v permit.Verdict, by, note string, only ...string) (permit.Decision, error)
}

// control is how people steer a turn that acts, and answer its questions.
type control struct {
	store    *session.Store
	projects *projects
	// requests is nil where nobody can be asked.
	requests PermissionRequests
	clock    func() time.Time
	links    Links
}

var _ Control = (*control)(nil)

// Steer implements [Control]. The files pass the same checks as a turn's, here
// and now, so that who sends them learns their outcome.
func (c *control) Steer(ctx context.Context, r SteerRequest) error {
	if r.Mode == "" {
		r.Mode = session.Steer
	}
	if r.Mode != session.Steer && r.Mode != session.FollowUp {
		return fault.Invalid([]fault.Problem{{Field: "mode", Message: `must be "steer" or "followUp"`}})
	}
	rec, err := c.store.Get(ctx, r.SessionID)
	if err != nil {
		return err
	}
	rules, err := c.projects.rulesOf(rec.ProjectRoot)
	if err != nil {
		return err
	}
	if err := rules.Limits.admit(r.Message); err != nil {
		return err
	}
	if r.Key != "" {
		if sent, err := c.store.Signals.InputSent(ctx, r.SessionID, r.Key); sent || err != nil {
			return err
		}
	}
	if _, _, runs := c.store.Signals.Running(r.SessionID); !runs {
		return session.NoTurn(r.SessionID)
	}
	blobs, err := c.store.Blobs(rec.ProjectRoot)
	if err != nil {
		return err
	}
	files, err := attachment.Resolve(ctx, r.Attachments, rules.policy(rec.ProjectRoot), blobs)
	if err != nil {
		return err
	}
	if err := admit(Request{Message: r.Message, Attachments: r.Attachments, Links: r.Links}, files); err != nil {
		return err
	}
	if err := blobs.Sync(ctx); err != nil {
		return err
	}
	kept, err := keepLinks(c.links, r.Links)
	if err != nil {
		return err
	}
	return c.store.Signals.SendInput(r.SessionID, session.Input{
		Message: r.Message, Mode: r.Mode, Items: files.Items, Links: kept, Warning: files.Warning(), Time: session.Time{Time: c.clock()},
		Key: r.Key,
	})
}

// Decisions implements [Control].
func (c *control) Decisions(ctx context.Context, sessionID string) ([]permit.Request, error) {
	if sessionID != "" {
		if _, err := c.store.Get(ctx, sessionID); err != nil {
			return nil, err
		}
	}
	if c.requests == nil {
		return nil, nil
	}
	return c.requests.List(ctx, sessionID)
}

// Decide implements [Control].
func (c *control) Decide(ctx context.Context, r DecisionRequest) (permit.Decision, error) {
	if r.SessionID != "" {
		if _, err := c.store.Get(ctx, r.SessionID); err != nil {
			return permit.Decision{}, err
		}
	}
	if c.requests == nil {
		return permit.Decision{}, fault.New(fault.NotFound, "there is no decision %q", r.DecisionID)
	}
	return c.requests.Decide(ctx, r.SessionID, r.DecisionID, r.Verdict, r.By, r.Note, r.Only...)
}
