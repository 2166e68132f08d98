package chat

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/fault"
)

// answered takes what a job brought back.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		return m.opened(msg)
	case connected:
		return m.joined(msg)
	case happened:
		return m.followed(msg)
	case reconnect:
		if msg.log != m.log {
			return nil
		}
		return m.connect()
	case spoken:
		m.speakTo(msg)
		return nil
	case chosen:
		return m.gone(msg)
	case choices:
		m.picked(msg)
		return nil
	case forked:
		return m.branched(msg)
	case created:
		return m.begun(msg)
	case started:
		return m.taken(msg)
	case steered:
		return m.heardOf(msg)
	case decided:
		m.decidedNow(msg)
		return nil
	case found:
		if i, ok := m.story.strange[msg.turn]; ok {
			m.roll.cells[i].item = &msg.what
			m.roll.touch(i)
		}
		return nil
	case completed:
		m.editor.apply(msg.completion)
		return nil
	case inspected:
		m.weighed(msg)
		return nil
	case undone:
		if msg.session == m.session {
			m.story.undo(msg.turn, msg.paths)
		}
		return nil
	case reported:
		if msg.err != nil {
			m.stopping = false
			m.tell(fails, why(msg.err))
		}
		for _, it := range msg.items {
			m.roll.add(it)
		}
		return nil
	}
	return nil
}

// opened goes on with a session. One that can not be read is said, and nothing is
// sent to it.
func (m *Model) opened(msg loaded) tea.Cmd {
	if msg.log != m.log {
		return nil
	}
	if msg.err != nil {
		m.tell(fails, why(msg.err))
		return nil
	}
	m.origin = msg.record.ForkedFrom
	if root := msg.record.ProjectRoot; root != "" && root != m.o.Project {
		m.o.Project = root
		if m.o.Upload == nil { // the files are this machine's
			m.editor.paths = &paths{folder: root}
		}
	}
	m.known(msg.record.Persona, msg.record.Mode, msg.record.Model)
	m.resume(msg.entries)
	if msg.untaken != nil {
		m.tell(warns, why(msg.untaken))
	}
	m.tell(tells, m.greeting)
	m.greeting = ""
	return tea.Batch(m.connect(), m.first())
}

// known fills in what the person did not ask for.
func (m *Model) known(persona, mode, model string) {
	for _, f := range []struct {
		to   *string
		from string
	}{{&m.persona, persona}, {&m.mode, mode}, {&m.model, model}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
}

// begun sends the first message into the session that was made for it.
func (m *Model) begun(msg created) tea.Cmd {
	if msg.err != nil {
		m.unsent(msg.err)
		return nil
	}
	m.session = msg.record.SessionID
	m.known(msg.record.Persona, msg.record.Mode, msg.record.Model)
	if m.sending == nil {
		return m.connect()
	}
	return tea.Batch(m.connect(), m.start(*m.sending))
}

// taken is the engine's answer to a message. That the turn has begun comes from the
// log, which may have told it before.
func (m *Model) taken(msg started) tea.Cmd {
	for _, r := range msg.refused {
		m.tell(warns, r)
	}
	if msg.err != nil {
		m.unsent(msg.err)
		return nil
	}
	// What was said meanwhile goes into the turn.
	early := m.early
	m.early = nil
	var cmds []tea.Cmd
	for _, what := range early {
		cmds = append(cmds, m.add(what))
	}
	return tea.Batch(cmds...)
}

// unsent puts a message back that was not taken.
func (m *Model) unsent(err error) {
	what := m.sending
	if what == nil {
		m.tell(fails, why(err))
		return
	}
	m.sending = nil
	what.failed = why(err)
	m.roll.refresh()
	text := what.text
	for _, e := range m.early {
		text += "\n" + e.text
	}
	m.early = nil
	if m.editor.empty() {
		m.editor.give(text)
	}
	named := mentioned(m.editor.text, m.editor.paths)
	for _, f := range what.files {
		if !slices.Contains(named, f) && !slices.Contains(m.attached, f) {
			m.attached = append(m.attached, f)
		}
	}
}

// heardOf is the engine's answer to what was said into a turn. Where the turn has
// just ended it begins the next, once the end was seen.
func (m *Model) heardOf(msg steered) tea.Cmd {
	for _, r := range msg.refused {
		m.tell(warns, r)
	}
	if msg.err == nil {
		return nil
	}
	m.unqueue(msg.what)
	if fault.Is(msg.err, fault.NoTurnInProgress) {
		m.late = append(m.late, msg.what)
		return m.sendLate()
	}
	m.tell(fails, "not said: "+why(msg.err))
	if m.editor.empty() {
		m.editor.give(msg.what.text)
	}
	return nil
}

// sendLate begins a turn with what came too late for the last one.
func (m *Model) sendLate() tea.Cmd {
	if m.working() || len(m.late) == 0 {
		return nil
	}
	first := m.late[0]
	m.early, m.late = append(m.early, m.late[1:]...), nil
	return m.send(first.said)
}

func (m *Model) unqueue(what steering) {
	for i, q := range m.queued {
		if q.text == what.text && q.mode == what.mode {
			m.queued = append(m.queued[:i:i], m.queued[i+1:]...)
			return
		}
	}
}

// over tidies up at the end of a turn: what it did not take goes back to the
// editor.
func (m *Model) over() {
	m.stopping = false
	m.leaving = m.pressed.Add(leavePatience)
	m.asks, m.answering, m.away = nil, false, false
	if len(m.queued) == 0 {
		return
	}
	text := ""
	for _, q := range m.queued {
		text += q.text + "\n"
	}
	m.queued = nil
	m.tell(warns, "the turn ended before it heard: "+oneLine(text))
	if m.editor.empty() {
		m.editor.give(text[:len(text)-1])
	}
}
