package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/turn"
)

// ask is a question that waits for the person.
type ask struct {
	event.Permission
	effect permit.Effect
	// note is open while the person writes why not.
	note *field
	// sent is set while the answer is on its way; failed is why it did not arrive.
	sent   bool
	failed string
	// top is how far the question was scrolled.
	top int
}

// maxNote is how much one can say of why not.
const maxNote = 500

// quiet is how long no key must have been pressed for a question to take the keys
// when it comes up: who types does not mean to answer.
const quiet = 700 * time.Millisecond

// question shows a question when those before it are answered.
func (m *Model) question(q *ask) {
	for _, a := range m.asks {
		if a.DecisionID == q.DecisionID {
			return
		}
	}
	m.asks = append(m.asks, q)
	m.offerKeys()
}

// offerKeys gives the first question the keys as soon as nobody types. It keeps
// them until the person takes them back.
func (m *Model) offerKeys() {
	if len(m.asks) > 0 && !m.away && m.menu == nil && m.editor.empty() && m.o.Clock().Sub(m.touched) >= quiet {
		m.answering = true
	}
}

// closed takes a question away, whoever answered it.
func (m *Model) closed(id string) {
	for i, a := range m.asks {
		if a.DecisionID != id {
			continue
		}
		m.asks = append(m.asks[:i:i], m.asks[i+1:]...)
		m.answering = m.answering && len(m.asks) > 0
		if i == 0 { // the next one is not answered by a key that was meant for this
			m.resting, m.away = m.o.Clock().Add(quiet), false
		}
		return
	}
}

// expire takes questions away whose time is over, in case nobody says so.
func (m *Model) expire() {
	for _, a := range append([]*ask{}, m.asks...) {
		if !a.ExpiresAt.IsZero() && m.o.Clock().After(a.ExpiresAt.Add(stopPatience)) {
			m.closed(a.DecisionID)
		}
	}
}

// answerKey is a key while a question has them. It reports whether the question
// took it.
func (m *Model) answerKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	a := m.asks[0]
	if a.note != nil {
		return m.noteKey(a, k), true
	}
	if k.Text != "" && m.o.Clock().Before(m.resting) {
		return nil, true
	}
	switch k.String() {
	case "y", "Y":
		return m.decide(a, permit.VerdictAllow, ""), true
	case "s", "S":
		if !a.Session {
			a.failed = "this one can not be allowed for the session, only once"
			return nil, true
		}
		return m.decide(a, permit.VerdictAllowSession, ""), true
	case "n":
		return m.decide(a, permit.VerdictDeny, ""), true
	case "N":
		a.note = &field{wide: m.look.wide}
		return nil, true
	case "tab", "esc":
		m.lookAway()
		return nil, true
	}
	if k.Text != "" { // somebody begins to write, and their next letter may be an answer
		m.lookAway()
	}
	return nil, false
}

// lookAway takes the keys from the question until the person gives them back.
func (m *Model) lookAway() { m.answering, m.away = false, true }

// scroll moves the question within a height, and reports whether the key does that.
// What is too far is put right where it is drawn.
func (a *ask) scroll(key string, height int) bool {
	if a.note != nil {
		return false
	}
	page := max(1, height-4)
	by, moves := map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page}[key]
	a.top = max(0, a.top+by)
	return moves
}

// noteKey is a key while the person writes why not.
func (m *Model) noteKey(a *ask, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		note := strings.TrimSpace(a.note.text)
		a.note = nil
		return m.decide(a, permit.VerdictDeny, note)
	case "esc":
		a.note = nil
		return nil
	}
	if len(a.note.text)+len(k.Text) <= maxNote {
		a.note.key(k)
	}
	return nil
}

// write pastes into the note, as much as there is room for.
func (a *ask) write(text string) {
	text = oneLine(text)
	a.note.insert(text[:wholeRunes(text, max(0, maxNote-len(a.note.text)))])
}

// decide sends an answer, once.
func (m *Model) decide(a *ask, v permit.Verdict, note string) tea.Cmd {
	if a.sent {
		return nil
	}
	a.sent, a.failed = true, ""
	r := turn.DecisionRequest{SessionID: m.session, DecisionID: a.DecisionID, Verdict: v, By: m.o.By, Note: note}
	return m.call(func(ctx context.Context) tea.Msg {
		_, err := m.o.Engine.Decide(ctx, r)
		return decided{r.DecisionID, err}
	})
}

// decidedNow takes the engine's word on an answer. That the question is closed
// comes from the log; one that was closed before is taken away at once.
func (m *Model) decidedNow(msg decided) {
	for _, a := range m.asks {
		if a.DecisionID != msg.id || msg.err == nil {
			continue
		}
		if fault.Is(msg.err, fault.DecisionClosed) || fault.Is(msg.err, fault.NotFound) {
			m.tell(warns, why(msg.err))
			m.closed(msg.id)
			return
		}
		a.sent, a.failed = false, why(msg.err)
		return
	}
}
