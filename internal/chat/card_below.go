package chat

import (
	"cmp"
	"strings"
	"time"

	"belay/internal/quantity"
	"belay/internal/render"
)

// below is the result of a subagent, under the calls that it made. The card of the call
// that started it stands above them.
type below struct{ card *card }

func (*below) snug()               {}
func (b *below) unfold(whole bool) { b.card.whole = whole }

func (b *below) draw(l *render.Look, width int) []string {
	c := b.card
	sign, style, words := "└ ", l.Good, "is done"
	if !c.result.OK {
		style, words = l.Bad, "did not finish"
	}
	if c.result.DurationMS > 0 {
		words += " · " + quantity.Duration(time.Duration(c.result.DurationMS)*time.Millisecond)
	}
	indent := strings.Repeat("  ", min(c.depth, 3))
	room := max(8, width-len(indent))
	name := cmp.Or(c.subagent, c.call.Name)
	lines := []string{indent + style.Render(sign) + l.Cut(l.Strong.Render(render.Line(name))+" "+l.Faint.Render(words), max(1, room-2))}
	for _, s := range c.output(l, max(4, room-2), false) {
		lines = append(lines, indent+"  "+s)
	}
	return lines
}

// answered puts the result of a card in its place: of a subagent that made calls under
// these, of any other call into the card.
func (s *reducer) answered(c *card) {
	if c != nil && c.delegates {
		s.m.conversation.add(&below{c})
	}
}
