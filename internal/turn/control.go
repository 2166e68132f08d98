package turn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/redact"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

// PermissionRequests takes the questions that a person must answer, and the answers;
// [permit.Requests] is one.
type PermissionRequests interface {
	agent.Requests
	List(ctx context.Context, sessionID string) ([]permit.Request, error)
	Question(id string) (permit.Question, error)
	Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error)
	Decide(ctx context.Context, sessionID, id string, v permit.Verdict, by, note string, only ...string) (permit.Decision, error)
}

// control is how people steer a turn that acts, and answer its questions.
type control struct {
	store    *session.Store
	projects *projects
	// requests is nil where nobody can be asked.
	requests PermissionRequests
	clock    func() time.Time
	redact   *redact.Redactor
	links    Links
	keys     *idempotencyKeys
}

var _ Control = (*control)(nil)

// Steer implements [Control]. The files pass the same checks as a turn's, here
// and now, so that who sends them learns their outcome.
func (c *control) Steer(ctx context.Context, r SteerRequest) error {
	r.Mode = cmp.Or(r.Mode, session.Steer)
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
		release, err := c.keys.claim(ctx, r.SessionID, "into a turn\x00"+r.Key)
		if err != nil {
			return err
		}
		defer release()
		if sent, err := c.store.Signals.InputSent(ctx, r.SessionID, r.Key, r.BodyDigest); sent || err != nil {
			return err
		}
		entries, err := c.store.Entries(ctx, r.SessionID)
		if err != nil {
			return err
		}
		if e, began := c.keys.find(entries, r.Key); began {
			if r.BodyDigest != "" && (e.Message != r.Message && e.Message != c.redact.Known(r.Message) || !asked(e, r.Attachments)) {
				return fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another request in this session", r.Key).With("turnId", e.Turn)
			}
			return nil // the message began a turn, and the answer to that was lost
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
		Message: c.redact.Known(r.Message), Mode: r.Mode, Items: files.Items, Links: kept, Warning: files.Warning(), Time: session.Time{Time: c.clock()},
		Key: r.Key, Digest: r.BodyDigest, Merge: r.Merge,
	})
}

// asked reports whether a turn was asked with these files. Of one that had refused some,
// nobody knows those.
func asked(e session.Entry, files []string) bool {
	for _, it := range e.Attachments {
		if !slices.Contains(files, it.Origin) {
			return false
		}
	}
	return len(e.Attachments) == len(files) || e.Warning != ""
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

// Question implements [Control].
func (c *control) Question(ctx context.Context, id string) (permit.Question, error) {
	if err := ctx.Err(); err != nil {
		return permit.Question{}, err
	}
	if c.requests == nil {
		return permit.Question{}, fault.New(fault.NotFound, "there is no decision %q", fault.Clip(id)).
			WithHint("see the open ones with belay decision list")
	}
	return c.requests.Question(id)
}

// Closed implements [Control].
func (c *control) Closed(ctx context.Context, sessionID string, most int) ([]permit.Closed, error) {
	if sessionID != "" {
		if _, err := c.store.Get(ctx, sessionID); err != nil {
			return nil, err
		}
	}
	if c.requests == nil {
		return nil, nil
	}
	return c.requests.Closed(ctx, sessionID, most)
}

// Inputs implements [Control].
func (c *control) Inputs(ctx context.Context, sessionID string) ([]session.Input, error) {
	if _, err := c.store.Get(ctx, sessionID); err != nil {
		return nil, err
	}
	return c.store.Signals.Inputs(sessionID)
}

// DropInput implements [Control].
func (c *control) DropInput(ctx context.Context, sessionID, inputID string) error {
	if _, err := c.store.Get(ctx, sessionID); err != nil {
		return err
	}
	return c.store.Signals.DropInput(sessionID, inputID)
}

// Decide implements [Control].
func (c *control) Decide(ctx context.Context, r DecisionRequest) (permit.Decision, error) {
	if r.SessionID != "" {
		if _, err := c.store.Get(ctx, r.SessionID); err != nil {
			return permit.Decision{}, err
		}
	}
	if c.requests == nil {
		return permit.Decision{}, fault.New(fault.NotFound, "there is no decision %q", fault.Clip(r.DecisionID)).
			WithHint("see the open ones with belay decision list")
	}
	return c.requests.Decide(ctx, r.SessionID, r.DecisionID, r.Verdict, r.By, c.redact.Known(r.Note), r.Only...)
}
