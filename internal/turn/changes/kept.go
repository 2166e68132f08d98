package changes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/kept"
	"belay/internal/workspace"
)

// KeptChange is what a command changed and what is not real yet.
type KeptChange struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created,omitzero"`
	// SessionID, TurnID and ToolCallID name the call.
	SessionID  string `json:"sessionId,omitempty"`
	TurnID     string `json:"turnId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	// Why says in a sentence why it is not real yet.
	Why string `json:"why,omitempty"`
	// Effect is what it would do to the project: its paths, and the diff where one
	// change is asked for.
	Effect *permit.Effect `json:"effect,omitempty"`
	// Conflicts are paths that something else has changed since the command began.
	Conflicts []string `json:"conflicts,omitempty"`
	// DecisionID names the open question about it.
	DecisionID string `json:"decisionId,omitempty"`
	// Problem says why it cannot be applied, of one that is damaged.
	Problem string `json:"problem,omitempty"`
}

// KeptRequest is what a person decides on a kept change.
type KeptRequest struct {
	ProjectRoot string `json:"projectRoot"`
	ID          string `json:"id"`
	// Only are the files that are applied, all for none; folders stand for all that is
	// in them. The others stay kept.
	Only []string `json:"only,omitempty"`
	// RunsByItself says that files which other programs run by themselves are meant to be
	// applied. Without it a change that has any is refused.
	RunsByItself bool `json:"runsByItself,omitempty"`
	// By is who says so, for the record.
	By string `json:"by,omitempty"`
}

// KeptResult is the outcome of a kept change.
type KeptResult struct {
	ID string `json:"id"`
	// Paths are the files that are as the command made them, sorted; none of one that
	// was dropped.
	Paths []string `json:"paths"`
	// Left is how many files stay kept.
	Left int `json:"left,omitempty"`
	// SessionID and TurnID are on whose record the change is, where undo finds it; ""
	// where the session is gone, or somebody works in it.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
}

// Kept are the kept changes of a project, the oldest first, without their diffs.
func (c *Changes) Kept(ctx context.Context, projectRoot string) (all []KeptChange, err error) {
	_, root, err := opened(c.engine.ReadableProject(projectRoot))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	list, err := kept.List(root)
	if err != nil {
		return nil, notKept(err)
	}
	open, err := c.openQuestions(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		if k.Err != nil {
			all = append(all, KeptChange{ID: k.ID, Problem: unreadable(k.Err)})
			continue
		}
		one := keptChange(k.Record, open)
		e := shell.KeptEffect(k.Record).Shown()
		if one.Conflicts, err = shell.KeptConflicts(ctx, root, k.Record); err != nil {
			return nil, notKept(err)
		}
		one.Effect = &e
		all = append(all, one)
	}
	return all, nil
}

// KeptChange is one of them, as it would change the project now.
func (c *Changes) KeptChange(ctx context.Context, projectRoot, id string) (_ KeptChange, err error) {
	project, root, err := opened(c.engine.ReadableProject(projectRoot))
	if err != nil {
		return KeptChange{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// A process that died may have been about to apply it, and has its contents.
	if err := c.files.Finish(ctx, project, root); err != nil {
		return KeptChange{}, err
	}
	k, err := kept.Look(root, id)
	if errors.Is(err, fs.ErrNotExist) {
		return KeptChange{}, noKept(id)
	} else if err != nil {
		return KeptChange{ID: id, Problem: unreadable(err)}, nil
	}
	open, err := c.openQuestions(ctx)
	if err != nil {
		return KeptChange{}, err
	}
	one := keptChange(k.Record, open)
	w, err := c.engine.Place(project, root)
	if err != nil {
		return KeptChange{}, err
	}
	shown, err := shell.ShowKept(ctx, w, k)
	if err != nil {
		return KeptChange{}, notKept(err)
	}
	one.Problem = shown.Refused
	var damaged *journal.ContentError
	if err := k.Check(ctx, k.Changes); errors.As(err, &damaged) {
		// A process that died may have applied it, which took its contents.
		if real, err := shell.AreReal(ctx, root, k.Changes); err != nil {
			return KeptChange{}, notKept(err)
		} else if !real {
			one.Problem = isDamaged(damaged)
		}
	} else if err != nil {
		return KeptChange{}, notKept(err)
	}
	e := shown.Effect.Shown()
	one.Effect, one.Conflicts = &e, shown.Conflicts
	return one, nil
}

// DropKept removes one. One that a turn still asks about is TURN_IN_PROGRESS.
func (c *Changes) DropKept(ctx context.Context, r KeptRequest) (_ KeptResult, err error) {
	if !session.GoodName(r.By) {
		return KeptResult{}, fault.Invalid([]fault.Problem{{Field: "by", Message: session.NameRule}})
	}
	project, root, err := c.open(r.ProjectRoot)
	if err != nil {
		return KeptResult{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	k, err := kept.Look(root, r.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return KeptResult{}, noKept(r.ID)
	case err == nil:
		err = c.isAsked(ctx, k.Record)
	default:
		err = c.damagedIsAsked(ctx, project, root, r.ID)
	}
	if err != nil {
		return KeptResult{}, err
	}
	if err := kept.Drop(root, r.ID); err != nil {
		return KeptResult{}, notTaken(r.ID, err)
	}
	by := permit.Entry{Kind: "changes", Project: project, By: r.By, Tool: shell.Name, Summary: "the kept changes " + r.ID + " were dropped"}
	if k != nil {
		by.SessionID, by.TurnID, by.ToolCallID = k.Origin.SessionID, k.Origin.TurnID, k.Origin.CallID
	}
	return KeptResult{ID: r.ID, Paths: []string{}}, c.audit(ctx, by)
}

// open checks a project that is written to, and opens it.
func (c *Changes) open(projectRoot string) (string, *os.Root, error) {
	return opened(c.engine.ProjectRoot(projectRoot))
}

func opened(project string, err error) (string, *os.Root, error) {
	if err != nil {
		return "", nil, err
	}
	root, err := workspace.OpenProject(project)
	return project, root, err
}

func keptChange(r kept.Record, open []permit.Request) KeptChange {
	c := KeptChange{
		ID: r.ID, Created: r.Created, Why: r.Why,
		SessionID: r.Origin.SessionID, TurnID: r.Origin.TurnID, ToolCallID: r.Origin.CallID,
	}
	if q, ok := questionAbout(r, open); ok {
		c.DecisionID = q.ID
	}
	return c
}

func (c *Changes) audit(ctx context.Context, e permit.Entry) error {
	if c.files.Audit == nil {
		return nil
	}
	return c.files.Audit.Append(context.WithoutCancel(ctx), e)
}
