package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/kept"
)

// KeptChanges is what people do with changes of commands that are not real yet: nobody
// answered in time, or something else changed the same files.
type KeptChanges interface {
	// Kept are those of a project, the oldest first, without their diffs.
	Kept(ctx context.Context, projectRoot string) ([]KeptChange, error)
	// KeptChange is one of them, as it would change the project now.
	KeptChange(ctx context.Context, projectRoot, id string) (KeptChange, error)
	// ApplyKept makes one in the project, after a review of its own: the change may have
	// come with the project. DropKept removes it. One that a turn still
	// asks about is TURN_IN_PROGRESS. Paths that something else changed, and contents
	// that are damaged, are CONTENT_CHANGED; then the project is as it was, and the
	// change stays kept. The caller has the operator's authority.
	ApplyKept(ctx context.Context, r KeptRequest) (KeptResult, error)
	DropKept(ctx context.Context, r KeptRequest) (KeptResult, error)
}

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

// KeptResult is what became of a kept change.
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

// Kept implements [KeptChanges].
func (l *Local) Kept(ctx context.Context, projectRoot string) (all []KeptChange, err error) {
	_, root, err := l.keptIn(projectRoot)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	list, err := kept.List(root)
	if err != nil {
		return nil, notKept(err)
	}
	open, err := l.openQuestions(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		if k.Err != nil {
			all = append(all, KeptChange{ID: k.ID, Problem: unreadable(k.Err)})
			continue
		}
		c := keptChange(k.Record, open)
		e := shell.KeptEffect(k.Record).Shown()
		if c.Conflicts, err = shell.KeptConflicts(ctx, root, k.Record); err != nil {
			return nil, notKept(err)
		}
		c.Effect = &e
		all = append(all, c)
	}
	return all, nil
}

// KeptChange implements [KeptChanges].
func (l *Local) KeptChange(ctx context.Context, projectRoot, id string) (_ KeptChange, err error) {
	project, root, err := l.keptIn(projectRoot)
	if err != nil {
		return KeptChange{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// A process that died may have been about to apply it, and has its contents.
	if err := l.finishFiles(ctx, project, root); err != nil {
		return KeptChange{}, err
	}
	k, err := kept.Look(root, id)
	if errors.Is(err, fs.ErrNotExist) {
		return KeptChange{}, noKept(id)
	} else if err != nil {
		return KeptChange{ID: id, Problem: unreadable(err)}, nil
	}
	open, err := l.openQuestions(ctx)
	if err != nil {
		return KeptChange{}, err
	}
	c := keptChange(k.Record, open)
	w, err := l.keptPlace(project, root)
	if err != nil {
		return KeptChange{}, err
	}
	shown, err := shell.ShowKept(ctx, w, k)
	if err != nil {
		return KeptChange{}, notKept(err)
	}
	c.Problem = shown.Refused
	var damaged *journal.ContentError
	if err := k.Check(ctx, k.Changes); errors.As(err, &damaged) {
		// A process that died may have applied it, which took its contents.
		if real, err := shell.AreReal(ctx, root, k.Changes); err != nil {
			return KeptChange{}, notKept(err)
		} else if !real {
			c.Problem = isDamaged(damaged)
		}
	} else if err != nil {
		return KeptChange{}, notKept(err)
	}
	e := shown.Effect.Shown()
	c.Effect, c.Conflicts = &e, shown.Conflicts
	return c, nil
}

// DropKept implements [KeptChanges].
func (l *Local) DropKept(ctx context.Context, r KeptRequest) (_ KeptResult, err error) {
	if !goodName(r.By) {
		return KeptResult{}, fault.Invalid([]fault.Problem{{Field: "by", Message: nameRule}})
	}
	project, root, err := l.keptIn(r.ProjectRoot)
	if err != nil {
		return KeptResult{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	k, err := kept.Look(root, r.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return KeptResult{}, noKept(r.ID)
	} else if err == nil {
		if err := l.isAsked(ctx, k.Record); err != nil {
			return KeptResult{}, err
		}
	}
	if err := kept.Drop(root, r.ID); err != nil {
		return KeptResult{}, notTaken(r.ID, err)
	}
	by := permit.Entry{Kind: "changes", Project: project, By: r.By, Tool: shell.Name, Summary: "the kept changes " + r.ID + " were dropped"}
	if k != nil {
		by.SessionID, by.TurnID, by.ToolCallID = k.Origin.SessionID, k.Origin.TurnID, k.Origin.CallID
	}
	return KeptResult{ID: r.ID, Paths: []string{}}, l.auditKept(ctx, by)
}

// keptIn checks a project and opens it.
func (l *Local) keptIn(projectRoot string) (string, *os.Root, error) {
	project, err := l.projectRoot(projectRoot)
	if err != nil {
		return "", nil, err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", nil, fault.New(fault.StorageFailure, "the project folder could not be opened").Because(err)
	}
	return project, root, nil
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

func (l *Local) openQuestions(ctx context.Context) ([]permit.Request, error) {
	if l.o.Desk == nil {
		return nil, nil
	}
	return l.o.Desk.List(ctx, "")
}

// questionAbout is the open question about a kept change.
func questionAbout(r kept.Record, open []permit.Request) (permit.Request, bool) {
	i := slices.IndexFunc(open, func(q permit.Request) bool {
		by := r.Origin
		return q.Effect.Done != nil && q.SessionID == by.SessionID && q.TurnID == by.TurnID && q.ToolCallID == by.CallID
	})
	if i < 0 {
		return permit.Request{}, false
	}
	return open[i], true
}

// isAsked refuses a change that a turn still asks about: the answer to that decides.
func (l *Local) isAsked(ctx context.Context, r kept.Record) error {
	open, err := l.openQuestions(ctx)
	if err != nil {
		return err
	}
	q, ok := questionAbout(r, open)
	if !ok {
		return l.isAnswered(ctx, r)
	}
	return fault.New(fault.TurnInProgress, "a turn still asks about the changes %s", r.ID).
		With("id", r.ID).With("decisionId", q.ID).With("sessionId", q.SessionID).
		WithHint("answer it with belay decision allow %s, or deny", q.ID)
}

// isAnswered refuses what would go against a person's answer that nobody has carried out:
// the process of its turn died, and the next server takes the turn up.
func (l *Local) isAnswered(ctx context.Context, r kept.Record) error {
	if l.o.Desk == nil {
		return nil
	}
	id := "dec_" + strings.TrimPrefix(r.ID, "chg_")
	d, answered, err := l.o.Desk.Verdict(id)
	if err != nil || !answered {
		return err
	}
	entries, err := l.o.Store.Entries(ctx, r.Origin.SessionID)
	if fault.Is(err, fault.SessionNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	if _, begun := findTurn(entries, r.Origin.TurnID); !begun {
		return nil
	}
	if _, ended := endOf(entries, r.Origin.TurnID); ended {
		return nil
	}
	return fault.New(fault.TurnInProgress, "the question about the changes %s was answered (%s by %s), and its turn has not gone on yet", r.ID, d.Verdict, d.By).
		With("id", r.ID).With("decisionId", id).With("sessionId", r.Origin.SessionID).
		WithHint("start belay serve: it takes the turn up and does what the answer says")
}

func (l *Local) auditKept(ctx context.Context, e permit.Entry) error {
	if l.o.Audit == nil {
		return nil
	}
	return l.o.Audit.Append(context.WithoutCancel(ctx), e)
}
