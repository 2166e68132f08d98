package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/quantity"
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
	// being written; -1 for none.
	open, thinking int
	// streamed is the last answer that came in pieces; settled is set once something stands
	// under it, and the next piece begins another.
	streamed []byte
	settled  bool
	// cards are the places of the turn's calls. An id does not name one of them: some
	// services begin anew with each answer, and so a subagent's calls may have the ids
	// of its parent's.
	cards []int
	// mine are turns whose message is shown already; strange those that began
	// elsewhere, whose message has to be asked for.
	mine    map[string]bool
	strange map[string]int
	ask     []string
	// adopted are turns that were taken for those of messages, by the keys of these, until
	// the engine has answered. doubted are those of which its answer was lost, by their ids,
	// until the transcript has told.
	adopted, doubted map[string]adoption
	// ended are turns that were reported as over: a log has each end once, but a
	// made-up one may follow.
	ended map[string]bool
	// undone are turns whose files were taken back and this was told: who does it
	// here reads of it in the log as well.
	undone map[string]bool
}

func newReducer(m *Model) reducer {
	return reducer{m: m, open: -1, thinking: -1, mine: map[string]bool{}, adopted: map[string]adoption{}, doubted: map[string]adoption{}, strange: map[string]int{}, ended: map[string]bool{}, undone: map[string]bool{}}
}

// tell shows one event. One that this version does not know, or cannot read,
// changes nothing: everything that matters is also in the end of the turn.
func (s *reducer) tell(e event.Event) {
	s.m.dialog.clock.compare(e.Time)
	switch e.Type {
	case event.SessionInit:
		with(e, func(d *event.Init) { s.begin(e, d) })
	case event.ChatDelta:
		with(e, func(d *event.Text) { s.stream(d.Text) })
	case event.ChatThinking:
		with(e, func(d *event.Text) { s.think(d.Text, e.Time) })
	case event.ChatComplete:
		with(e, func(d *event.Text) {
			s.complete(d.Text)
			s.m.answer = cmp.Or(d.Text, s.m.answer)
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
			named := func(c *card) { c.subagent = d.Persona }
			if s.change(d.ParentToolCallID, anybody, named) && (d.OK == nil || *d.OK) {
				return // its card says so
			}
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
		with(e, func(d *event.Complete) { s.stop = d.StopReason; s.m.info.meter.compacted(d.ContextTokens) })
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
	s.streamed = nil
	s.turn, s.began, s.stop, s.spent = e.Turn, e.Time, "", nil
	s.m.info.meter.begin(d.Model)
	s.m.info.model, s.m.info.governance = render.Answers(d), d.Governance
	s.m.stopping = false
	switch {
	case s.mine[e.Turn]:
	case s.adopt(e.Turn):
	default:
		s.strange[e.Turn] = s.m.conversation.add(&said{label: "from elsewhere"})
		s.ask = append(s.ask, e.Turn)
	}
	for _, w := range d.Warnings {
		s.m.conversation.notify(noticeWarning, w.Message)
	}
}

// knows reports whether the log has reported a turn.
func (s *reducer) knows(turnID string) bool {
	_, strange := s.strange[turnID]
	return turnID != "" && (strange || s.mine[turnID] || s.ended[turnID])
}

// heard is something that was said into the turn and has arrived.
func (s *reducer) heard(d *event.Input) {
	s.settle()
	it := said{text: d.Message, label: "steered"}
	if d.Mode == "followUp" {
		it.label = "followed up"
	}
	if q, ok := s.m.outbox.unqueue(steering{said: said{text: d.Message}, mode: session.InputMode(d.Mode)}); ok {
		it.files = q.files
	} else {
		arrived(s.m, d.Message) // it seemed to have failed
	}
	if n := d.Attachments - len(it.files); n > 0 {
		it.files = append(it.files, quantity.Count(n, "file", "files"))
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
		it.exit.Error = cmp.Or(message, d.Error)
	}
	s.m.conversation.add(it)
	s.m.info.spend(s.spent)
	s.turn = ""
	s.finishCalls()
	s.m.over()
}

// undo reports files that were taken back, here or elsewhere.
func (s *reducer) undo(turnID string, paths []string) {
	what := turnID + "\n" + strings.Join(paths, "\n") // a turn can have several undos
	if s.undone[what] {
		return
	}
	s.undone[what] = true
	s.m.conversation.notify(noticeInfo, "taken back: "+strings.Join(paths, ", "))
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
