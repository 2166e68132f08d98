package chat

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"belay/internal/fault"
	"belay/internal/render"
)

// unsent puts a message back that was not taken, with those that waited for it.
func (m *Model) unsent(err error) {
	what := m.outbox.sending
	if what == nil {
		m.conversation.notify(noticeFailure, why(err))
		return
	}
	m.outbox.sending = nil
	m.outbox.failed(*what, err)
	what.failed = reasonOf(err)
	m.conversation.refresh()
	giveBackWith(m, *what, err)
}

// giveBackWith offers a message that is shown as failed for another try, with those that
// waited for it, unless those wait for another one now.
func giveBackWith(m *Model, what said, err error) {
	var early []steering
	if m.outbox.sending == nil {
		early, m.outbox.early = m.outbox.early, nil
	}
	if what.compact {
		what.text = "/compact " + what.text
	}
	for _, e := range early {
		showFailed(m, e, err)
	}
	offerAgain(m, append([]steering{{said: what}}, early...))
}

// arrived takes back the offer of a message that seemed to have failed: the log has its turn. The
// same words are a new message from now on.
func arrived(m *Model, text string) {
	if !m.outbox.forget(text) || m.editor.text() != text {
		return
	}
	m.editor.give("")
	m.outbox.attached = nil
}

// giveBack shows messages as failed and offers them for another try.
func giveBack(m *Model, all []steering, err error) {
	for _, what := range all {
		showFailed(m, what, err)
	}
	offerAgain(m, all)
}

// showFailed adds a message to the conversation that was not sent.
func showFailed(m *Model, what steering, err error) {
	it := what.said
	it.failed = reasonOf(err)
	m.conversation.add(&it)
}

// offerAgain puts texts into the editor, unless the person types there already, and has
// their files go with the next message.
func offerAgain(m *Model, all []steering) {
	var texts, files []string
	for _, what := range all {
		texts, files = append(texts, what.text), append(files, what.files...)
	}
	if m.editor.empty() {
		m.editor.give(strings.Join(texts, "\n"))
	}
	named := mentioned(m.editor.text(), m.editor.paths)
	for _, f := range files {
		if !slices.Contains(named, f) && !slices.Contains(m.outbox.attached, f) {
			m.outbox.attached = append(m.outbox.attached, f)
		}
	}
}

// reasonOf is why a message was not sent, for a person.
func reasonOf(err error) string {
	if fault.Is(err, fault.IdempotencyConflict) {
		return "the session has it from an earlier try, whose reply was lost; send it again to have it twice"
	}
	return why(err)
}

// answerHere notes the engine's answer to a message, and reports whether it is one in the
// session that is shown.
func answerHere(m *Model, session string, what said, refused []string, err error) bool {
	if session != m.session {
		if err != nil {
			m.conversation.notify(noticeFailure, "not sent to the session that you left: "+render.Line(what.text))
		}
		return false
	}
	for _, r := range refused {
		m.conversation.notify(noticeWarning, r)
	}
	if err == nil {
		delete(m.outbox.tried, contentOf(what))
	}
	return true
}

// heardOf is the engine's answer to what was said into a turn. Where the turn has
// just ended it begins the next, once the end was seen.
func (m *Model) heardOf(msg steered) tea.Cmd {
	if !answerHere(m, msg.session, msg.what.said, msg.refused, msg.err) {
		return nil
	}
	if msg.err == nil {
		m.outbox.received(msg.what.key)
		if m.reducer.turn == "" { // its end came first
			m.over()
		}
		return nil
	}
	m.outbox.unqueue(msg.what)
	if fault.Is(msg.err, fault.NoTurnInProgress) {
		m.outbox.late = append(m.outbox.late, msg.what)
		return m.sendLate()
	}
	m.outbox.failed(msg.what.said, msg.err)
	giveBack(m, []steering{msg.what}, msg.err)
	return nil
}
