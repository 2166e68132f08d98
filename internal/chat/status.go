package chat

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// status says where one is, and what holds for the next turns.
func (m *Model) status(string) tea.Cmd {
	var rows [][2]string
	row := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, oneLine(text)})
		}
	}
	o := m.o.Opts
	row("session", orNone(m.session, "none yet; the first message makes one"))
	if m.origin != nil {
		row("forked from", m.origin.SessionID+", after "+m.origin.TurnID)
	}
	row("project", m.o.Project)
	row("persona", orNone(m.persona, "the configured one"))
	row("mode", orNone(m.mode, "the configured one"))
	row("model", orNone(m.model, "the configured one"))
	if o.Tools != nil {
		row("tools", orNone(strings.Join(*o.Tools, ", "), "none"))
	}
	row("allowed", strings.Join(m.o.Allow, ", "))
	row("limits", m.limits())
	switch g := m.governance; {
	case g != nil && g.Allowed:
		row("delegation", "open")
	case g != nil:
		row("delegation", "closed: "+g.Reason)
	}
	if m.spent > 0 {
		row("cost", fmt.Sprintf("$%.4f so far", m.spent))
	}
	m.roll.add(&help{rows})
	return nil
}

// limits are those of each turn, "" where there are none but the configured ones.
func (m *Model) limits() string {
	var parts []string
	o := m.o.Opts
	if o.MaxTurns != nil {
		parts = append(parts, number(*o.MaxTurns, "model call"))
	}
	if o.MaxCostUSD != nil {
		parts = append(parts, fmt.Sprintf("$%g", *o.MaxCostUSD))
	}
	if o.TimeoutMS != nil {
		parts = append(parts, shortly(time.Duration(*o.TimeoutMS)*time.Millisecond))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " a turn"
}

// maxCopied is how much terminals take for the clipboard.
const maxCopied = 96 << 10

// copyAnswer puts the last answer on the clipboard, as it was written. The terminal
// does that, where it can and may.
func (m *Model) copyAnswer(string) tea.Cmd {
	switch n := len(m.answer); {
	case n == 0:
		m.tell(tells, "there is no answer yet")
		return nil
	case n > maxCopied:
		m.tell(warns, "the answer is too long for the clipboard ("+size(int64(n))+"); belay session transcript has it")
		return nil
	}
	m.tell(tells, "the last answer is on the clipboard, where the terminal allows that")
	return tea.SetClipboard(m.answer)
}
