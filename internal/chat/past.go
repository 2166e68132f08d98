package chat

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
)

// resume shows what was said in the session before: the earlier turns from the
// transcript, the last one from the log, which has more to tell and may still be
// going on.
func (m *Model) resume(entries []session.Entry) {
	last := -1
	for i, e := range entries {
		if e.Kind == session.EntryTurn {
			last = i
		}
	}
	if last >= 0 && entries[last].After < 0 {
		last = len(entries) // its log is another session's
	}
	for i, e := range entries {
		if i == last {
			m.roll.add(written(e, ""))
			m.story.mine[e.Turn] = true
			m.after = e.After
		} else if last < 0 || last == len(entries) || e.Turn != entries[last].Turn {
			m.recall(e)
		}
	}
	m.story.finishCalls()
}

// recall shows a line of the transcript.
func (m *Model) recall(e session.Entry) {
	s := &m.story
	switch e.Kind {
	case session.EntryTurn:
		m.roll.add(written(e, ""))
		s.mine[e.Turn], s.ended[e.Turn], s.began = true, true, e.Time.Time
	case session.EntryInput:
		label := "steered"
		if e.Mode == session.FollowUp {
			label = "followed up"
		}
		m.roll.add(written(e, label))
	case session.EntryAssistant, session.EntryTools:
		for _, b := range e.Blocks {
			m.recallBlock(e, b)
		}
		s.settle()
	case session.EntryUndo:
		s.undo(e.Turn, e.Paths)
	case session.EntryEnd:
		it := &ending{stop: e.StopReason, spent: e.Usage}
		if e.ExitCode != nil {
			it.exit.ExitCode, it.exit.Error = *e.ExitCode, e.Error
		}
		if e.StopReason == turn.StopProcessEnded { // when, nobody knows
			it.exit.Error = "the process that ran this turn ended before it did"
		} else if !s.began.IsZero() {
			it.took = e.Time.Sub(s.began)
		}
		m.roll.add(it)
		s.finishCalls()
		if e.Usage != nil && e.Usage.CostUSD != nil {
			m.spent += *e.Usage.CostUSD
		}
	}
}

func (m *Model) recallBlock(e session.Entry, b session.Block) {
	s := &m.story
	switch b.Type {
	case session.BlockText:
		if e.Agent == "" { // a helper's words went to its parent
			s.say(b.Text)
			s.settle()
			m.answer = orNone(b.Text, m.answer)
		}
	case session.BlockThinking:
		if b.Text != "" && e.Agent == "" {
			s.think(b.Text, e.Time.Time)
			s.settle()
		}
	case session.BlockToolCall:
		s.call(&event.ToolUse{ToolCallID: b.ID, Name: b.Name, Input: b.Input, ParentToolCallID: e.Agent})
	case session.BlockToolResult:
		set := func(c *card) {
			c.result = &event.ToolOutcome{ToolCallID: b.ID, Name: b.Name, OK: !b.Failed, Output: b.Text}
			c.result.Changed, c.result.Removed = session.Touched(slices.DeleteFunc(slices.Clone(e.Changes), func(c session.Change) bool { return c.Call != b.ID }))
		}
		s.change(b.ID, agent(e.Agent), set)
	}
}

// written is what a person said, from the transcript.
func written(e session.Entry, label string) *said {
	it := &said{text: e.Message, label: label}
	for _, a := range e.Attachments {
		it.files = append(it.files, a.Name)
	}
	return it
}

// find asks for the words with which a turn began that is not ours.
func (m *Model) find(turnID string) tea.Cmd {
	id := m.session
	return m.call(func(ctx context.Context) tea.Msg {
		entries, err := m.o.Engine.Transcript(ctx, id)
		if err != nil {
			return reported{err: err}
		}
		for _, e := range entries {
			if e.Kind == session.EntryTurn && e.Turn == turnID {
				return found{turn: turnID, what: *written(e, "from elsewhere")}
			}
		}
		return nil
	})
}
