package chat

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/turn"
)

// showStatus says where one is, and what holds for the next turns.
func showStatus(m *Model, _ string) tea.Cmd {
	var rows [][2]string
	row := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, render.Line(text)})
		}
	}
	o := m.o.Opts
	row("session", cmp.Or(m.session, "none yet; the first message makes one"))
	if m.info.origin != nil {
		row("forked from", m.info.origin.SessionID+", after "+m.info.origin.TurnID)
	}
	row("project", m.o.Project)
	row("persona", cmp.Or(m.info.persona, "the configured one"))
	row("mode", cmp.Or(m.info.mode, "the configured one"))
	row("model", cmp.Or(m.info.model, "the configured one"))
	if o.Tools != nil {
		row("tools", cmp.Or(strings.Join(*o.Tools, ", "), "none"))
	}
	row("allowed", strings.Join(m.o.Allow, ", "))
	row("limits", limits(o))
	switch g := m.info.governance; {
	case g != nil && g.Allowed:
		row("delegation", "open")
	case g != nil:
		row("delegation", "closed: "+g.Reason)
	}
	row("used", m.info.cost())
	row("context", m.info.meter.words())
	m.conversation.add(&help{rows})
	return nil
}

// limits are those of each turn, "" where there are none but the configured ones.
func limits(o turn.Opts) string {
	var parts []string
	if o.MaxTurns != nil {
		parts = append(parts, quantity.Count(*o.MaxTurns, "model call", "model calls"))
	}
	if o.MaxCostUSD != nil {
		parts = append(parts, fmt.Sprintf("$%g", *o.MaxCostUSD))
	}
	if o.TimeoutMS != nil {
		parts = append(parts, quantity.Duration(time.Duration(*o.TimeoutMS)*time.Millisecond))
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
func copyAnswer(m *Model, _ string) tea.Cmd {
	switch n := len(m.answer); {
	case n == 0:
		m.conversation.notify(noticeInfo, "there is no answer yet")
		return nil
	case n > maxCopied:
		m.conversation.notify(noticeWarning, "the answer is too long for the clipboard ("+quantity.Size(int64(n))+"); belay session transcript has it")
		return nil
	}
	m.conversation.notify(noticeInfo, "the last answer is on the clipboard, where the terminal allows that")
	return tea.SetClipboard(m.answer)
}
