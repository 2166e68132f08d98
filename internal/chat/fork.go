package chat

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
	"belay/internal/session"
	"belay/internal/turn/changes"
)

// forkSession lets the person pick the turn from which a new session goes on.
func forkSession(m *Model, _ string) tea.Cmd {
	if !m.leaves() {
		return nil
	}
	if m.session == "" {
		m.conversation.notify(noticeInfo, "nothing was said yet that a new session could go on from")
		return nil
	}
	now, id := m.o.Clock(), m.session
	return m.calls.call(func(ctx context.Context) tea.Msg {
		entries, err := m.o.Engine.Transcript(ctx, id)
		if err != nil {
			return choices{session: id, err: err}
		}
		c := choices{session: id, title: "Go on from the end of which turn, in a new session?", none: "no turn has ended yet"}
		next := ""
		for _, e := range slices.Backward(entries) {
			if e.Kind != session.EntryTurn {
				continue
			}
			r, after := changes.ForkRequest{SessionID: id, TurnID: e.Turn}, next
			c.rows = append(c.rows, &choice{
				row:  row{head: render.Glance(e.Message, titleColumns), detail: ago(now.Sub(e.Time.Time))},
				pick: func() tea.Cmd { return m.calls.fork(r, after, m.reducer.turn) },
			})
			if next = e.Message; len(c.rows) == maxChoices {
				break
			}
		}
		return c
	})
}

// fork makes the new session. During is the turn that runs, "" for none.
func (c *calls) fork(r changes.ForkRequest, next, during string) tea.Cmd {
	return c.call(func(ctx context.Context) tea.Msg {
		rec, err := c.o.Engine.Fork(ctx, r)
		return forked{rec, r.SessionID, next, during, err}
	})
}

// branched goes on in the new session. What was said after the turn is in the
// editor, to be said otherwise.
func (m *Model) branched(msg forked) tea.Cmd {
	if msg.err != nil {
		m.conversation.notify(noticeFailure, why(msg.err))
		return nil
	}
	begun := m.reducer.turn != "" && m.reducer.turn != msg.during
	if m.session != msg.from || begun || !m.leaves() { // the person has gone on here, or elsewhere
		m.conversation.notify(noticeInfo, "the fork is made; go to it with /session "+msg.record.SessionID)
		return nil
	}
	cmd := m.open(msg.record.SessionID)
	m.greeting = "a fork of " + shortID(msg.from) + ", which stays as it is; the project's files are the same for both"
	if m.editor.empty() {
		m.editor.give(msg.next)
	}
	return cmd
}
