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
		if cmd, taken := m.menuKey(k); taken {
			return cmd
		}
	}
	if m.answering && len(m.asks) > 0 && m.asks[0].scroll(name, m.questionHeight()) {
		return nil
	}
	switch name {
	case "ctrl+c":
		return m.ctrlC(now)
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+o":
		m.roll.unfold(!m.roll.whole)
		return nil
	case "ctrl+l":
		return tea.ClearScreen
	case "pgup":
		m.roll.scroll(-max(1, m.roll.height-2))
		return nil
	case "pgdown":
		m.roll.scroll(max(1, m.roll.height-2))
		return nil
	case "ctrl+home":
		m.roll.top()
		return nil
	case "ctrl+end":
		m.roll.end()
		return nil
	}
	if len(m.asks) > 0 {
		if m.answering {
			if cmd, taken := m.answerKey(k); taken {
				return cmd
			}
		} else if name == "tab" && m.editor.offers == nil && !completable(m.editor.text[:m.editor.at]) {
			m.answering, m.away = true, false
			return nil
		}
	}
	return m.typed(k)
}

// typed is a key or a paste for the editor.
func (m *Model) typed(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "enter":
			return m.enter(session.Steer)
		case "alt+enter":
			return m.enter(session.FollowUp)
		case "tab":
			return m.complete(1)
		case "shift+tab":
			return m.complete(-1)
		case "ctrl+d":
			if m.editor.empty() {
				return m.ctrlD()
			}
		case "esc":
			m.editor.forget()
			m.roll.end()
			return nil
		}
	}
	if m.editor.update(msg) {
		m.tell(warns, "this is too long for a message; save it in a file and send that with /attach PATH")
	}
	return nil
}

func (m *Model) wheel(w tea.MouseWheelMsg) tea.Cmd {
	switch w.Button {
	case tea.MouseWheelUp:
		m.roll.scroll(-wheelLines)
	case tea.MouseWheelDown:
		m.roll.scroll(wheelLines)
	}
	return nil
}

// ctrlC stops the turn; pressed again soon, or where there is nothing to stop, it
// leaves.
func (m *Model) ctrlC(now time.Time) tea.Cmd {
	if now.Before(m.leaving) {
		return tea.Quit
	}
	m.pressed, m.leaving, m.leavingBy = now, now.Add(leavePatience), "ctrl+c"
	switch {
	case m.story.turn != "":
		m.stopping = true
		m.leaving = now.Add(time.Hour) // until the turn has ended
		return m.interrupt()
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
	text := m.editor.text
	if before, ok := strings.CutSuffix(text, `\`); ok && mode == session.Steer {
		m.editor.set(before + "\n") // for terminals that have no Shift-Enter
		return nil
	}
	if blank.Is(text) && len(m.attached) == 0 {
		return nil
	}
	name, rest, slashed := command(text)
	if !slashed && m.working() && len(m.queued)+len(m.early)+len(m.late) >= maxWaiting {
		m.editor.insert("\n") // nothing is lost of what is typed on, or pasted line by line
		m.tell(warns, fmt.Sprintf("%d messages wait already; this one waits here until the turn has heard some", maxWaiting))
		return nil
	}
	whole := m.editor.take()
	m.roll.end()
	keep := m.remember(whole)
	if slashed {
		return tea.Batch(keep, m.run(name, rest))
	}
	return tea.Batch(keep, m.speak(whole, text, mode))
}

// speak says something with the files that go with it: those that were attached, and
// those that were named in what was typed, which long pastes are no part of.
func (m *Model) speak(text, typed string, mode session.InputMode) tea.Cmd {
	what := said{text: strings.TrimRight(text, "\n "), files: m.attached}
	m.attached = nil
	for _, f := range mentioned(typed, m.editor.paths) {
		if !slices.Contains(what.files, f) {
			what.files = append(what.files, f)
		}
	}
	var cmd tea.Cmd
	switch {
	case m.sending != nil:
		m.early = append(m.early, steering{what, mode})
	case m.story.turn != "":
		cmd = m.add(steering{what, mode})
	default:
		cmd = m.send(what)
	}
	for _, w := range missed(typed, m.editor.paths) {
		m.tell(warns, w)
	}
	return cmd
}

// send begins a turn, in a new session where there is none.
func (m *Model) send(what said) tea.Cmd {
	m.sending = &what
	m.roll.add(m.sending)
	if m.session == "" {
		return m.create()
	}
	return m.start(what)
}

// add says something into the running turn.
func (m *Model) add(what steering) tea.Cmd {
	m.queued = append(m.queued, what)
	return m.steer(what)
}
