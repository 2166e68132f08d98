package changes

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool/shell/kept"
)

func (c *Changes) openQuestions(ctx context.Context) ([]permit.Request, error) {
	if c.questions == nil {
		return nil, nil
	}
	return c.questions.List(ctx, "")
}

// questionAbout is the open question about a kept change.
func questionAbout(r kept.Record, open []permit.Request) (permit.Request, bool) {
	i := slices.IndexFunc(open, func(q permit.Request) bool {
		by := r.Origin // the record may have come with the project: it names questions about its own call only
		return q.ID == questionOf(r) && q.Effect.Done != nil && q.SessionID == by.SessionID && q.TurnID == by.TurnID && q.ToolCallID == by.CallID
	})
	if i < 0 {
		return permit.Request{}, false
	}
	return open[i], true
}

// questionOf is the id of the question that decides on a change, or has. A change that was kept
// by an earlier version, or for later, names none: then it is the first one about it.
func questionOf(r kept.Record) string { return cmp.Or(r.Question, firstQuestion(r.ID)) }

// firstQuestion is the id of the first question about a change.
func firstQuestion(id string) string { return "dec_" + strings.TrimPrefix(id, "chg_") }

// isAsked refuses a change that a turn still asks about: the answer to that decides.
func (c *Changes) isAsked(ctx context.Context, r kept.Record) error {
	open, err := c.openQuestions(ctx)
	if err != nil {
		return err
	}
	q, ok := questionAbout(r, open)
	if !ok {
		return c.isAnswered(ctx, r)
	}
	return stillAsked(r.ID, q)
}

// damagedIsAsked is isAsked for a change whose record cannot be read. Only the record names a
// second question, so that any question about changes of the project counts that no readable
// record names.
func (c *Changes) damagedIsAsked(ctx context.Context, project string, root *os.Root, id string) error {
	open, err := c.openQuestions(ctx)
	if err != nil {
		return err
	}
	list, err := kept.List(root)
	if err != nil {
		return notKept(err)
	}
	others := map[string]bool{}
	for _, k := range list {
		if q, ok := questionAbout(k.Record, open); ok && k.Err == nil {
			others[q.ID] = true
		}
	}
	i := slices.IndexFunc(open, func(q permit.Request) bool {
		return q.ProjectRoot == project && q.Effect.Done != nil && !others[q.ID]
	})
	if i < 0 {
		return nil
	}
	return stillAsked(id, open[i])
}

func stillAsked(id string, q permit.Request) error {
	return fault.New(fault.TurnInProgress, "a turn still asks about the changes %s", id).
		With("id", id).With("decisionId", q.ID).With("sessionId", q.SessionID).
		WithHint("answer it with belay decision allow %s, or deny", q.ID)
}

// isAnswered refuses what would go against a person's answer that nobody has carried out:
// the process of its turn died, and the next server takes the turn up.
func (c *Changes) isAnswered(ctx context.Context, r kept.Record) error {
	if c.questions == nil {
		return nil
	}
	id := questionOf(r)
	d, answered, err := c.questions.Verdict(id)
	if err != nil || !answered {
		return err
	}
	entries, err := c.files.Store.Entries(ctx, r.Origin.SessionID)
	if fault.Is(err, fault.SessionNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	if _, begun := session.FindTurn(entries, r.Origin.TurnID); !begun {
		return nil
	}
	if _, ended := session.EndOf(entries, r.Origin.TurnID); ended {
		return nil
	}
	return fault.New(fault.TurnInProgress, "the question about the changes %s was answered (%s by %s), and its turn has not gone on yet", r.ID, d.Verdict, d.By).
		With("id", r.ID).With("decisionId", id).With("sessionId", r.Origin.SessionID).
		WithHint("belay serve carries the answer out at its start, and so does the next belay turn --session %s", r.Origin.SessionID)
}
