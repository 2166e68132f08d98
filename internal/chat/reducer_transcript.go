package chat

import (
	"cmp"
	"slices"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/session"
)

// resume shows what was said in the session before: the earlier turns from the
// transcript, the last one from the log, which has more to tell and may still be
// going on.
func (s *reducer) resume(entries []session.Entry) {
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
			s.m.conversation.add(written(e, ""))
			s.mine[e.Turn] = true
			s.m.follower.after = e.After
		} else if last < 0 || last == len(entries) || e.Turn != entries[last].Turn {
			s.recall(e)
		}
	}
	if last >= 0 && last < len(entries) {
		if _, ended := session.EndOf(entries, entries[last].Turn); !ended {
			s.turn = entries[last].Turn // what was entered meanwhile goes into it
		}
	}
	s.finishCalls()
}

// recall shows a line of the transcript.
func (s *reducer) recall(e session.Entry) {
	switch e.Kind {
	case session.EntryTurn:
		s.m.conversation.add(written(e, ""))
		s.mine[e.Turn], s.ended[e.Turn], s.began = true, true, e.Time.Time
	case session.EntryInput, session.EntryReplaced:
		label := "steered"
		switch {
		case e.Kind == session.EntryReplaced:
			label = "replaced by a newer message"
		case e.Mode == session.FollowUp:
			label = "followed up"
		}
		s.m.conversation.add(written(e, label))
	case session.EntryAssistant, session.EntryTools:
		for _, b := range e.Blocks {
			s.recallBlock(e, b)
		}
		s.settle()
	case session.EntrySummary:
		if e.Agent == "" {
			s.m.conversation.notify(noticeInfo, "from here on the model has a summary of everything above")
			s.say(e.Summary)
			s.settle()
		}
	case session.EntryUndo:
		s.undo(e.Turn, e.Paths)
	case session.EntryEnd:
		it := &ending{stop: e.StopReason, spent: e.Usage}
		if e.ExitCode != nil {
			it.exit.ExitCode, it.exit.Error = *e.ExitCode, e.Error
		}
		if e.StopReason == session.StopProcessEnded { // when, nobody knows
			it.exit.Error = "the process that ran this turn ended before it did"
		} else if !s.began.IsZero() {
			it.took = e.Time.Sub(s.began)
		}
		s.m.conversation.add(it)
		s.finishCalls()
		s.m.info.spend(e.Usage)
	}
}

func (s *reducer) recallBlock(e session.Entry, b session.Block) {
	switch b.Type {
	case session.BlockText:
		if e.Agent == "" { // a helper's words went to its parent
			s.say(b.Text)
			s.settle()
			s.m.answer = cmp.Or(b.Text, s.m.answer)
		}
	case session.BlockThinking:
		if b.Text != "" && e.Agent == "" {
			s.think(b.Text, e.Time.Time)
			s.settle()
		}
	case session.BlockToolCall:
		s.call(&event.ToolUse{ToolCallID: b.ID, Name: b.Name, Input: b.Input, ParentToolCallID: e.Agent})
	case session.BlockToolResult:
		var of *card
		set := func(c *card) {
			of = c
			c.result = &event.ToolOutcome{ToolCallID: b.ID, Name: b.Name, OK: !b.Failed, Output: b.Text}
			c.result.Changed, c.result.Removed = session.Touched(slices.DeleteFunc(slices.Clone(e.Changes), func(c session.Change) bool { return c.Call != b.ID }))
			for _, it := range b.Items {
				c.shown = append(c.shown, event.Attachment{Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes})
			}
			for _, it := range b.Sent {
				c.sent = append(c.sent, event.SentFile{Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes, Path: it.Origin})
			}
		}
		if s.change(b.ID, agent(e.Agent), set) {
			s.answered(of)
		}
	}
}

// written is what a person said, from the transcript.
func written(e session.Entry, label string) *said {
	it := &said{text: e.Message, label: label}
	if e.Compact {
		it.label = compactLabel
	}
	for _, a := range e.Attachments {
		it.files = append(it.files, a.Name)
	}
	for _, l := range e.Links {
		it.files = append(it.files, attachment.DisplayName(l.Filename))
	}
	return it
}
