package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/session"
)

// reducer turns the events of the log into items of the conversation. It has the
// place of everything that may still change.
type reducer struct {
	m *Model
	// turn is the one that runs, "" for none; since when.
	turn  string
	began time.Time
	stop  string
	spent *event.Tokens

	cutter render.Cutter
	// open is the place of the block, and thinking that of the reasoning, that is
	// being written; -1 for none. streamed is set once an answer has come in pieces.
	open, thinking int
	streamed       bool
	// cards are the places of the turn's calls. An id does not name one of them: some
	// services begin anew with each answer, and so a subagent's calls may have the ids
	// of its parent's.
	cards []int
	// mine are turns whose message is shown already; strange those that began
	// elsewhere, whose message has to be asked for.
	mine    map[string]bool
	strange map[string]int
	ask     []string
	// ended are turns that were reported as over: a log has each end once, but a
	// made-up one may follow.
	ended map[string]bool
	// undone are turns whose files were taken back and this was told: who does it
	// here reads of it in the log as well.
	undone map[string]bool
}

func newReducer(m *Model) reducer {
	return reducer{m: m, open: -1, thinking: -1, mine: map[string]bool{}, strange: map[string]int{}, ended: map[string]bool{}, undone: map[string]bool{}}
}

// tell shows one event. One that this version does not know, or can not read,
// changes nothing: everything that matters is also in the end of the turn.
func (s *reducer) tell(e event.Event) {
	switch e.Type {
	case event.SessionInit:
		with(e, func(d *event.Init) { s.begin(e, d) })
	case event.ChatDelta:
		with(e, func(d *event.Text) { s.say(d.Text); s.streamed = true })
	case event.ChatThinking:
		with(e, func(d *event.Text) { s.think(d.Text, e.Time) })
	case event.ChatComplete:
		with(e, func(d *event.Text) {
			if !s.streamed { // a provider that streams nothing says it here
				s.say(d.Text)
			}
			s.m.answer = orNone(d.Text, s.m.answer)
			s.settle()
		})
	case event.ToolCall:
		with(e, s.call)
	case event.ToolOutput:
		with(e, func(d *event.LiveOutput) {
			s.change(d.ToolCallID, agent(d.ParentToolCallID), func(c *card) { c.live.write(d) })
		})
	case event.ToolResult:
		with(e, s.result)
	case event.PermissionAsked:
		with(e, s.asked)
	case event.PermissionGiven:
		with(e, s.given)
	case event.AttachmentInput:
		with(e, func(d *event.Attachment) {
			s.change(d.ToolCallID, anybody, func(c *card) { c.shown = append(c.shown, *d) })
		})
	case event.AttachmentAdd:
		with(e, func(d *event.SentFile) {
			s.change(d.ToolCallID, anybody, func(c *card) { c.sent = append(c.sent, *d) })
		})
	case event.SubagentStart, event.SubagentEnd:
		with(e, func(d *event.Subagent) {
			s.settle()
			s.m.info.meter.delegated(d.OK == nil)
			words, failed := render.Subagent(e.Type, d)
			if failed {
				s.m.conversation.notify(noticeWarning, words)
				return
			}
			s.m.conversation.notify(noticeInfo, words)
		})
	case event.TurnInput:
		with(e, s.heard)
	case event.Usage:
		with(e, func(d *event.UsageReport) { s.spent = &d.Totals; s.m.info.meter.called(d.Tokens) })
	case event.TurnWarning:
		with(e, func(d *event.Warning) { s.settle(); s.m.conversation.notify(noticeWarning, d.Message) })
	case event.SessionComplete:
		with(e, func(d *event.Complete) { s.stop = d.StopReason })
	case event.ProcessExit:
		with(e, func(d *event.Exit) { s.end(e, d) })
	case event.ChangesUndone:
		with(e, func(d *event.Undone) { s.undo(d.TurnID, d.Paths) })
	case event.LogGap:
		with(e, func(d *event.Gap) {
			s.m.conversation.notify(noticeWarning, fmt.Sprintf("events before %d are not kept any more (%s)", d.Next, render.Line(d.Reason)))
			s.m.follower.after = max(0, d.Next-1)
		})
	}
}

// with hands the payload of an event to f, if it is what its type says.
func with[T any](e event.Event, f func(*T)) {
	var d T
	if json.Unmarshal(e.Data, &d) == nil {
		f(&d)
	}
}

// begin is the first event of a turn.
func (s *reducer) begin(e event.Event, d *event.Init) {
	s.settle()
	s.turn, s.began, s.stop, s.spent = e.Turn, e.Time, "", nil
	s.m.info.meter.begin(d.Model)
	s.m.info.model, s.m.info.governance = render.Answers(d), d.Governance
	s.m.stopping = false
	switch {
	case s.mine[e.Turn]:
	case s.m.outbox.sending != nil:
		s.m.outbox.sending, s.mine[e.Turn] = nil, true
	default:
		s.strange[e.Turn] = s.m.conversation.add(&said{label: "from elsewhere"})
		s.ask = append(s.ask, e.Turn)
	}
	for _, w := range d.Warnings {
		s.m.conversation.notify(noticeWarning, w.Message)
	}
}

// say writes a piece of the answer.
func (s *reducer) say(text string) {
	s.rest()
	for _, block := range s.cutter.Write(text) {
		s.block(block, false)
		s.open = -1
	}
	if strings.TrimSpace(s.cutter.Tail()) != "" {
		s.block(s.cutter.Tail(), true)
	}
}

// block shows a block of the answer, in the place of the one that is open.
func (s *reducer) block(text string, open bool) {
	p := &prose{text: text, open: open}
	if s.open < 0 {
		s.open = s.m.conversation.add(p)
		return
	}
	s.m.conversation.cells[s.open].item = p
	s.m.conversation.touch(s.open)
}

// think writes a piece of the reasoning.
func (s *reducer) think(text string, at time.Time) {
	s.finish()
	if s.thinking < 0 {
		s.thinking = s.m.conversation.add(&thought{open: true})
	}
	s.m.conversation.cells[s.thinking].item.(*thought).write(text, at)
	s.m.conversation.touch(s.thinking)
}

// rest ends the reasoning.
func (s *reducer) rest() {
	if s.thinking >= 0 {
		s.m.conversation.cells[s.thinking].item.(*thought).open = false
		s.m.conversation.touch(s.thinking)
		s.thinking = -1
	}
}

// finish ends the block that is open.
func (s *reducer) finish() {
	if last := s.cutter.Flush(); last != "" {
		s.block(last, false)
	}
	s.open = -1
}

// settle ends whatever is being written, so that what follows stands under it.
func (s *reducer) settle() {
	s.rest()
	s.finish()
	s.streamed = false
}

// call shows a tool call.
func (s *reducer) call(d *event.ToolUse) {
	s.settle()
	c := &card{call: *d}
	if d.ParentToolCallID != "" {
		s.change(d.ParentToolCallID, agent(""), func(p *card) { c.depth = p.depth + 1 })
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
	set := func(c *card) { c.result, c.waiting, c.live = d, false, liveOutput{} }
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

// heard is something that was said into the turn and has arrived.
func (s *reducer) heard(d *event.Input) {
	s.settle()
	it := said{text: d.Message, label: "steered"}
	if d.Mode == "followUp" {
		it.label = "followed up"
	}
	if q, ok := s.m.outbox.unqueue(steering{said{text: d.Message}, session.InputMode(d.Mode)}); ok {
		it.files = q.files
	}
	if n := d.Attachments - len(it.files); n > 0 {
		it.files = append(it.files, render.Number(n, "file"))
	}
	s.m.conversation.add(&it)
}

// end is the last event of a turn.
func (s *reducer) end(e event.Event, d *event.Exit) {
	if s.ended[e.Turn] {
		return
	}
	s.ended[e.Turn] = true
	s.settle()
	it := &ending{exit: *d, stop: s.stop, spent: s.spent}
	if s.turn == e.Turn && !s.began.IsZero() {
		it.took = e.Time.Sub(s.began)
	}
	if s.m.o.Explain != nil {
		var message string
		message, it.next = s.m.o.Explain(*d, s.stop)
		it.exit.Error = orNone(message, d.Error)
	}
	s.m.conversation.add(it)
	s.m.info.spend(s.spent)
	s.turn = ""
	s.finishCalls()
	s.m.over()
}

// undo reports files that were taken back, here or elsewhere.
func (s *reducer) undo(turnID string, paths []string) {
	if s.undone[turnID] {
		return
	}
	s.undone[turnID] = true
	s.m.conversation.notify(noticeInfo, "taken back: "+strings.Join(paths, ", "))
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

// wanted are jobs for what the events did not say: the words of turns that began
// elsewhere.
func (s *reducer) wanted() []tea.Cmd {
	var cmds []tea.Cmd
	for _, id := range s.ask {
		cmds = append(cmds, s.m.calls.find(s.m.session, id))
	}
	s.ask = nil
	if lookup := s.m.info.meter.lookup(&s.m.calls); lookup != nil {
		cmds = append(cmds, lookup)
	}
	return cmds
}
