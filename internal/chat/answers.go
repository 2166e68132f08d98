package chat

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
)

// answered takes what a job brought back.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		return m.opened(msg)
	case connected:
		if msg.err == nil {
			m.dialog.reached()
		}
		return m.follower.joined(msg)
	case happened:
		return m.followed(msg)
	case reconnect:
		if msg.log != m.follower.log {
			return nil
		}
		return m.follower.connect(m.session)
	case keyChecked:
		if msg.wrong != "" {
			m.conversation.notify(noticeWarning, msg.wrong)
		}
		return nil
	case personaChosen:
		m.o.Opts.Persona, m.info.persona = msg.to, msg.to
		m.conversation.notify(noticeInfo, "the next turns go to "+msg.to)
		return nil
	case chosen:
		return m.gone(msg)
	case choices:
		m.picked(msg)
		return nil
	case forked:
		return m.branched(msg)
	case renamed:
		msg.tell(m)
		return nil
	case created:
		return m.begun(msg)
	case started:
		return m.taken(msg)
	case steered:
		return m.heardOf(msg)
	case ruled:
		msg.taken(m)
		return nil
	case decided:
		m.dialog.decided(msg)
		return nil
	case found:
		return foundTurn(m, msg)
	case composed:
		msg.taken(m)
		return nil
	case clipped:
		return msg.taken(m)
	case ownEnded:
		msg.taken(m)
		return nil
	case completed:
		if m.editor.apply(msg) {
			return m.editor.suggest(&m.calls, msg.asked)
		}
		return nil
	case measured:
		m.info.meter.measured(msg)
		return nil
	case inspected:
		m.inspected(msg)
		return nil
	case undone:
		if msg.session == m.session {
			m.reducer.undo(msg.turn, msg.paths)
		}
		return nil
	case reported:
		if msg.err != nil {
			m.stopping = false
			m.conversation.notify(noticeFailure, why(msg.err))
		}
		for _, it := range msg.items {
			m.conversation.add(it)
		}
		return nil
	}
	return nil
}

// opened goes on with a session. One that cannot be read is said, and nothing is
// sent to it.
func (m *Model) opened(msg loaded) tea.Cmd {
	if msg.log != m.follower.log {
		return nil
	}
	m.loading = false
	if m.unread = msg.err != nil; m.unread {
		m.conversation.notify(noticeFailure, why(msg.err))
		held := m.outbox.held
		m.outbox.held = nil
		giveBack(m, held, msg.err)
		return nil
	}
	m.info.origin = msg.record.ForkedFrom
	if root := msg.record.ProjectRoot; root != "" && root != m.o.Project {
		m.o.Project = root
		if m.o.Upload == nil { // the files are this machine's
			m.editor.paths = newPaths(root)
		}
	}
	m.info.fill(msg.record.Persona, msg.record.Mode, render.Model(msg.record.Model))
	m.reducer.resume(msg.entries)
	if msg.untaken != nil {
		m.conversation.notify(noticeWarning, why(msg.untaken))
	}
	m.conversation.notify(noticeInfo, m.greeting)
	m.greeting = ""
	return tea.Batch(m.follower.connect(m.session), m.first(), passHeld(m))
}

// begun sends the first message into the session that was made for it.
func (m *Model) begun(msg created) tea.Cmd {
	if msg.err != nil {
		m.unsent(msg.err)
		return nil
	}
	m.session = msg.record.SessionID
	m.info.fill(msg.record.Persona, msg.record.Mode, render.Model(msg.record.Model))
	if m.outbox.sending == nil {
		return m.follower.connect(m.session)
	}
	return tea.Batch(m.follower.connect(m.session), m.calls.start(m.session, *m.outbox.sending, m.editor.paths.resolveAll(m.outbox.sending.files)))
}

// sendLate begins a turn with what came too late for the last one.
func (m *Model) sendLate() tea.Cmd {
	if m.working() || len(m.outbox.late) == 0 {
		return nil
	}
	first := m.outbox.late[0]
	m.outbox.early, m.outbox.late = append(m.outbox.early, m.outbox.late[1:]...), nil
	return m.send(first.said)
}

// over tidies up at the end of a turn. What it did not take is on record, and the next turn
// hears it. What is on its way yet is not: the engine's answer tells what becomes of it.
func (m *Model) over() {
	m.stopping = false
	m.leaving = m.pressed.Add(leavePatience)
	m.dialog.drop()
	text := ""
	m.outbox.queued = slices.DeleteFunc(m.outbox.queued, func(q steering) bool {
		if q.received {
			text += q.text + "\n"
		}
		return q.received
	})
	if text != "" {
		m.conversation.notify(noticeWarning, "the agent reads this with your next message: "+render.Line(text))
	}
}
