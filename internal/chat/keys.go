package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/blank"
	"belay/internal/session"
)

// leavePatience is how long the second Ctrl-C counts as one.
const leavePatience = 3 * time.Second

// maxWaiting is how many messages may wait for the running turn at once.
const maxWaiting = 20

// wheelLines is how far the wheel scrolls.
const wheelLines = 3

// key is a key press. Those that hold everywhere come first, then a question that
// has the keys, then the editor.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	now := m.o.Clock()
	defer func() { m.touched = now }()
	name := k.String()
	if name != m.leavingBy {
		m.leaving = time.Time{}
	}
	if m.menu != nil {
		cmd, closed, taken := m.menu.key(k, m.editor.text())
		if closed {
			m.menu = nil
			m.editor.take()
		}
		if taken {
			return cmd
		}
	}
	if m.dialog.has() && m.dialog.asks[0].scroll(name, m.questionHeight()) {
		return nil
	}
	switch name {
	case "ctrl+c":
		return m.ctrlC(now)
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+o":
		m.conversation.unfold(!m.conversation.whole)
		return nil
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+v":
		if m.menu == nil {
			return pasteImage(m)
		}
		return nil
	case "ctrl+g":
		if m.menu == nil {
			return compose(m)
		}
		return nil
	case "pgup":
		m.conversation.scroll(-max(1, m.conversation.height-2))
		return nil
	case "pgdown":
		m.conversation.scroll(max(1, m.conversation.height-2))
		return nil
	case "ctrl+home":
		m.conversation.top()
		return nil
	case "ctrl+end":
		m.conversation.end()
		return nil
	}
	if len(m.dialog.asks) > 0 {
		if m.dialog.answering {
			if cmd, taken := m.dialog.key(k); taken {
				return cmd
			}
		} else if name == "tab" && m.editor.offers == nil && !completable(m.editor.before()) {
			m.dialog.lookAt()
			return nil
		}
	}
	return m.typed(k)
}

// typed is a key or a paste for the editor.
func (m *Model) typed(msg tea.Msg) tea.Cmd {
	k, pressed := msg.(tea.KeyPressMsg)
	if pressed {
		if cmd, taken := m.editor.choosing(k, &m.calls); taken {
			return cmd
		}
		switch k.String() {
		case "enter":
			return m.enter(session.Steer)
		case "alt+enter":
			return m.enter(session.FollowUp)
		case "tab":
			return m.editor.suggest(&m.calls, true)
		case "shift+tab":
			m.chooseMode(nextMode(m.info.mode))
			return nil
		case "ctrl+d":
			if m.editor.empty() {
				return m.ctrlD()
			}
		case "esc":
			m.editor.forget()
			m.conversation.end()
			return nil
		}
	}
	before := m.editor.text()
	if m.editor.update(msg) {
		m.conversation.notify(noticeWarning, "this is too long for a message; save it in a file and send that with /attach PATH")
	}
	if pressed && m.menu == nil && m.editor.text() != before && (k.Text != "" || k.Code == tea.KeyBackspace) {
		return m.editor.suggest(&m.calls, false)
	}
	return nil
}

// ctrlC stops the person's own command, or the turn; pressed again soon, or where there is nothing to stop, it
// leaves.
func (m *Model) ctrlC(now time.Time) tea.Cmd {
	if now.Before(m.leaving) {
		return tea.Quit
	}
	if m.own.interrupt() {
		return nil
	}
	m.pressed, m.leaving, m.leavingBy = now, now.Add(leavePatience), "ctrl+c"
	switch {
	case m.reducer.turn != "":
		m.stopping = true
		m.leaving = now.Add(time.Hour) // until the turn has ended
		return m.calls.interrupt(m.session, m.reducer.turn)
	case !m.editor.empty():
		m.editor.past.add(m.editor.take()) // for who did not mean it; it is kept nowhere else
	}
	return nil
}

// ctrlD leaves; where that ends a turn, only when it is pressed again.
func (m *Model) ctrlD() tea.Cmd {
	now := m.o.Clock()
	if !m.working() || m.o.Outlives || now.Before(m.leaving) {
		return tea.Quit
	}
	m.leaving, m.leavingBy = now.Add(leavePatience), "ctrl+d"
	return nil
}

// enter sends what was typed: as a command, as a turn, or into the one that runs.
func (m *Model) enter(mode session.InputMode) tea.Cmd {
	text := m.editor.text()
	if before, ok := strings.CutSuffix(text, `\`); ok && mode == session.Steer {
		m.editor.set(before + "\n") // for terminals that have no Shift-Enter
		return nil
	}
	if blank.Is(text) && len(m.outbox.attached) == 0 {
		return nil
	}
	name, rest, slashed := command(m.editor.commands, text)
	line, owned := ownCommand(text)
	if !slashed && !owned && (m.working() || m.loading) && len(m.outbox.waiting()) >= maxWaiting {
		m.editor.insert("\n") // nothing is lost of what is typed on, or pasted line by line
		m.conversation.notify(noticeWarning, fmt.Sprintf("%d messages wait already; this one waits here until the turn has heard some", maxWaiting))
		return nil
	}
	if owned && m.editor.pasted.bytes(text) > 0 {
		m.conversation.notify(noticeWarning, "a long paste is not run as a command: it is not on the screen; save it in a file and run that")
		return nil
	}
	given := m.editor.pasted.whole(rest)
	whole := m.editor.take()
	m.conversation.end()
	keep := m.calls.remember(m.editor.past, whole)
	if slashed {
		return tea.Batch(keep, m.run(name, given, rest))
	}
	if owned {
		return tea.Batch(keep, runOwn(m, line))
	}
	return tea.Batch(keep, m.speak(whole, text, mode))
}

// speak says something with the files that go with it: those that were attached, and
// those that were named in what was typed, which long pastes are no part of.
func (m *Model) speak(text, typed string, mode session.InputMode) tea.Cmd {
	what := said{text: m.own.take(strings.TrimRight(text, "\n ")), files: m.outbox.attached}
	m.outbox.attached = nil
	for _, f := range mentioned(typed, m.editor.paths) {
		if !slices.Contains(what.files, f) {
			what.files = append(what.files, f)
		}
	}
	cmd := pass(m, steering{said: what, mode: mode})
	for _, w := range missed(typed, m.editor.paths) {
		m.conversation.notify(noticeWarning, w)
	}
	return cmd
}
