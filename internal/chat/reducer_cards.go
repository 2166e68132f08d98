package chat

import (
	"encoding/json"
	"slices"

	"belay/internal/event"
	"belay/internal/permit"
)

// call shows a tool call.
func (s *reducer) call(d *event.ToolUse) {
	s.settle()
	c := &card{call: *d}
	if d.ParentToolCallID != "" {
		s.change(d.ParentToolCallID, agent(""), func(p *card) { c.depth, p.delegates = p.depth+1, true })
	}
	s.cards = append(s.cards, s.m.conversation.add(c))
}

// agent reports whether a call is of the agent that the call parent began.
func agent(parent string) func(*card) bool {
	return func(c *card) bool { return c.call.ParentToolCallID == parent }
}

// anybody is for events that do not say whose call they are about.
func anybody(*card) bool { return true }

// change alters the card of a call, if there is one: of those with this id the last
// that has no result yet, or the last.
func (s *reducer) change(id string, whose func(*card) bool, f func(*card)) bool {
	found := -1
	for _, i := range slices.Backward(s.cards) {
		c := s.m.conversation.cells[i].item.(*card)
		if c.call.ToolCallID != id || !whose(c) {
			continue
		}
		if found < 0 || c.result == nil {
			found = i
		}
		if c.result == nil {
			break
		}
	}
	if found < 0 {
		return false
	}
	f(s.m.conversation.cells[found].item.(*card))
	s.m.conversation.touch(found)
	return true
}

func (s *reducer) result(d *event.ToolOutcome) {
	var of *card
	set := func(c *card) { of, c.result, c.waiting, c.live = c, d, false, liveOutput{} }
	defer func() { s.answered(of) }()
	if !s.change(d.ToolCallID, agent(d.ParentToolCallID), set) {
		s.call(&event.ToolUse{ToolCallID: d.ToolCallID, Name: d.Name, ParentToolCallID: d.ParentToolCallID})
		s.change(d.ToolCallID, agent(d.ParentToolCallID), set)
	}
}

// asked is a question. What it says of the call is more than the call itself did.
func (s *reducer) asked(d *event.Permission) {
	s.settle()
	q := &ask{Permission: *d, session: s.m.session}
	if data, err := json.Marshal(d.Effect); err == nil {
		var effect permit.Effect
		if json.Unmarshal(data, &effect) == nil {
			q.effect = effect
		}
	}
	s.change(d.ToolCallID, anybody, func(c *card) { c.waiting, c.question(d.DecisionID).effect = true, &q.effect })
	s.m.dialog.question(q)
	s.m.offerKeys()
}

func (s *reducer) given(d *event.Verdict) {
	s.m.dialog.closed(d.DecisionID)
	s.change(d.ToolCallID, anybody, func(c *card) { c.waiting, c.question(d.DecisionID).verdict = false, d })
}

// finishCalls marks the calls of a turn that is over and gave them no result.
func (s *reducer) finishCalls() {
	for _, i := range s.cards {
		c := s.m.conversation.cells[i].item.(*card)
		c.over, c.waiting = true, false
		s.m.conversation.touch(i)
	}
	s.cards = nil
}
