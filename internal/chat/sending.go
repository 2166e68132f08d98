package chat

import tea "charm.land/bubbletea/v2"

// pass sends a message to where it belongs now: into the turn that runs, or as a new one.
// While the session is being read it is not known whether a turn runs, and the message waits.
func pass(m *Model, what steering) tea.Cmd {
	switch {
	case m.unread:
		m.unread, m.loading = false, true
		m.outbox.held = append(m.outbox.held, what)
		return m.calls.load(m.session, m.follower.log)
	case m.loading:
		m.outbox.held = append(m.outbox.held, what)
	case m.outbox.sending != nil:
		m.outbox.early = append(m.outbox.early, what)
	case m.reducer.turn != "":
		return m.add(what)
	default:
		return m.send(what.said)
	}
	return nil
}

// passHeld sends what was entered while the session was read.
func passHeld(m *Model) tea.Cmd {
	held := m.outbox.held
	m.outbox.held = nil
	var cmds []tea.Cmd
	for _, what := range held {
		cmds = append(cmds, pass(m, what))
	}
	return tea.Batch(cmds...)
}

// send begins a turn, in a new session where there is none.
func (m *Model) send(what said) tea.Cmd {
	what = m.outbox.keyed(what)
	m.outbox.sending, m.outbox.sendingTurn = &what, ""
	m.conversation.add(m.outbox.sending)
	if m.session == "" {
		return m.calls.create()
	}
	return m.calls.start(m.session, what, m.editor.paths.resolveAll(what.files))
}

// add says something into the running turn.
func (m *Model) add(what steering) tea.Cmd {
	what.said = m.outbox.keyed(what.said)
	m.outbox.queued = append(m.outbox.queued, what)
	return m.calls.steer(m.session, what, m.editor.paths.resolveAll(what.files))
}
