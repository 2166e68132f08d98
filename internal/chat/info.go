package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"belay/internal/event"
	"belay/internal/render"
	"belay/internal/session"
)

// info is what is known of a session, and what holds for the next turns.
type info struct {
	persona, mode, model string
	spent                float64
	// tokens is how many the session's turns have used, in and out.
	tokens int64
	meter  meter
	// origin is what the session was forked from, governance whether its agent may
	// delegate.
	origin     *session.Origin
	governance *event.Governance
}

// fill fills in what the person did not ask for.
func (i *info) fill(persona, mode, model string) {
	i.persona, i.mode, i.model = cmp.Or(i.persona, persona), cmp.Or(i.mode, mode), cmp.Or(i.model, model)
}

// dotted are the parts that there are, in a line.
func dotted(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

// cost is what the session's turns have used, "" for nothing.
func (i *info) cost() string {
	if i.tokens == 0 {
		return ""
	}
	s := count(i.tokens) + " tokens"
	if i.spent > 0 {
		s += fmt.Sprintf(" $%.4f", i.spent)
	}
	return s
}

// spend adds what a turn has used.
func (i *info) spend(t *event.Tokens) {
	if t == nil {
		return
	}
	i.tokens += t.InputTokens + t.CacheReadTokens + t.CacheWriteTokens + t.OutputTokens
	if t.CostUSD != nil {
		i.spent += *t.CostUSD
	}
}

// line is the last line of the window: it says whom one speaks to.
func (i *info) line(l *render.Look, session string, width int) string {
	parts := []string{render.Line(i.persona), render.Line(i.mode), render.Line(i.model), i.cost(), i.meter.String(), ""}
	if session != "" {
		parts[5] = shortID(session)
	}
	left := dotted(parts)
	for _, least := range []int{2, 3, 1, 5, 4} { // what a narrow window goes without
		if l.Cells(left) > width {
			parts[least] = ""
			left = dotted(parts)
		}
	}
	const help = "/help"
	if gap := width - l.Cells(left) - len(help); gap > 1 {
		left += strings.Repeat(" ", gap) + help
	}
	return l.Faint.Render(l.Cut(left, width))
}
