package chat

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/fault"
)

// adoption is a turn that began while a message was on its way, and so is taken for that of
// the message. The engine's answer to the message says whether it is.
type adoption struct {
	turn string
	// at is the place of the message in the conversation.
	at int
	// lost is the engine's answer where it is none, and so does not tell.
	lost started
}

// adopt takes a turn that begins for that of the message on its way, unless the engine has
// named another one.
func (s *reducer) adopt(turnID string) bool {
	o := &s.m.outbox
	if o.sending == nil || o.sendingTurn != "" && o.sendingTurn != turnID {
		return false
	}
	for i, c := range slices.Backward(s.m.conversation.cells) {
		if c.item == item(o.sending) {
			s.adopted[o.sending.key] = adoption{turn: turnID, at: i}
			break
		}
	}
	o.sending, o.sendingTurn, s.mine[turnID] = nil, "", true
	return true
}

// disown shows a turn that was adopted as one from elsewhere, in the place of the message.
func (s *reducer) disown(a adoption) {
	delete(s.mine, a.turn)
	s.strange[a.turn] = a.at
	s.m.conversation.cells[a.at].item = &said{label: "from elsewhere"}
	s.m.conversation.touch(a.at)
}

// taken is the engine's answer to a message. That the turn has begun comes from the
// log, which may have told it before.
func (m *Model) taken(msg started) tea.Cmd {
	if !answerHere(m, msg.session, msg.message, msg.refused, msg.err) {
		return nil
	}
	a, adopted := m.reducer.adopted[msg.message.key]
	delete(m.reducer.adopted, msg.message.key)
	waits := m.outbox.sending != nil && m.outbox.sending.key == msg.message.key
	switch {
	case waits && msg.err != nil:
		m.unsent(msg.err)
	case waits && m.reducer.knows(msg.turn):
		// The reply to an earlier try was lost. The log has reported the turn already.
		m.outbox.sending.label = "received at the first try"
		m.outbox.sending = nil
		m.conversation.refresh()
	case waits:
		m.outbox.sendingTurn = msg.turn
	case adopted && msg.denies(a.turn):
		m.reducer.disown(a)
		m.reducer.ask = append(m.reducer.ask, a.turn)
		notThat(m, msg)
	case adopted && msg.err != nil: // the transcript tells
		a.lost = msg
		m.reducer.doubted[a.turn] = a
		m.reducer.ask = append(m.reducer.ask, a.turn)
		return tea.Batch(m.reducer.wanted()...)
	case msg.err != nil:
		notThat(m, msg)
	}
	return tea.Batch(append(m.reducer.wanted(), sendEarly(m, msg.message.key))...)
}

// foundTurn is what the transcript has of a turn.
func foundTurn(m *Model, msg found) tea.Cmd {
	if msg.err != nil {
		m.conversation.notify(noticeFailure, why(msg.err))
	}
	a, doubted := m.reducer.doubted[msg.turn]
	delete(m.reducer.doubted, msg.turn)
	foreign := doubted && msg.what != nil && msg.what.key != a.lost.message.key
	if foreign {
		m.reducer.disown(a)
	}
	if i, ok := m.reducer.strange[msg.turn]; ok && msg.what != nil {
		m.conversation.cells[i].item = msg.what
		m.conversation.touch(i)
		arrived(m, msg.what.text)
	}
	switch {
	case !doubted:
		return nil
	case foreign:
		notThat(m, a.lost)
	default: // only the reply was lost
		m.conversation.notify(noticeFailure, why(a.lost.err))
	}
	return sendEarly(m, a.lost.message.key)
}

// denies reports whether the engine's answer says that a turn is not that of the message.
func (msg started) denies(turnID string) bool {
	if msg.turn != "" {
		return msg.turn != turnID
	}
	known := (*fault.Error)(nil)
	return msg.unasked || errors.As(msg.err, &known) && known.Type != fault.SDKFailure
}

// notThat goes on with a message for which a turn from elsewhere was taken.
func notThat(m *Model, msg started) {
	what := msg.message
	switch {
	case msg.err != nil:
		showFailed(m, steering{said: what}, msg.err)
		m.outbox.failed(what, msg.err)
		giveBackWith(m, what, msg.err)
	case !m.reducer.knows(msg.turn) && m.outbox.sending == nil:
		m.outbox.sending, m.outbox.sendingTurn = &what, msg.turn
		m.conversation.add(m.outbox.sending)
	}
}

// sendEarly sends what was said while the message with a key was on its way. If that still
// waits for its turn the engine has it, and the turn hears what comes. What waits for
// another message waits on.
func sendEarly(m *Model, key string) tea.Cmd {
	has := m.outbox.sending != nil && m.outbox.sending.key == key
	if m.outbox.sending != nil && !has {
		return nil
	}
	early := m.outbox.early
	m.outbox.early = nil
	var cmds []tea.Cmd
	for _, what := range early {
		if has {
			cmds = append(cmds, m.add(what))
		} else {
			cmds = append(cmds, pass(m, what))
		}
	}
	return tea.Batch(cmds...)
}
