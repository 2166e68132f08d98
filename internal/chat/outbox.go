package chat

import (
	"fmt"
	"slices"

	"belay/internal/render"
)

// outbox is what the person said and no turn has heard yet.
type outbox struct {
	// sending is what was said while no turn ran and is on its way.
	sending *said
	// early is what was said while that was on its way; queued what the running turn
	// received and has not taken yet; late what came when the turn was over but its end
	// was not seen yet.
	early, queued, late []steering
	// attached are the files that go with the next message.
	attached []string
}

// waiting is all that waits for a turn.
func (o *outbox) waiting() []steering { return slices.Concat(o.queued, o.early, o.late) }

// unqueue takes away what the running turn has heard or refused.
func (o *outbox) unqueue(what steering) (steering, bool) {
	for i, q := range o.queued {
		if q.text == what.text && q.mode == what.mode {
			o.queued = slices.Delete(slices.Clone(o.queued), i, i+1)
			return q, true
		}
	}
	return what, false
}

// shownWaiting is how much of what waits is shown.
const shownWaiting = 3

// draw draws what was said into the turn and not heard yet.
func (o *outbox) draw(l *render.Look, width int) []string {
	all := o.waiting()
	var lines []string
	for i, q := range all {
		if i == shownWaiting {
			lines = append(lines, l.Faint.Render(l.Cut(fmt.Sprintf("  and %d more", len(all)-i), width)))
			break
		}
		label := "at the next step: "
		if q.mode == "followUp" {
			label = "after the answer: "
		}
		lines = append(lines, l.Faint.Render(l.Cut("↳ "+label+render.Line(render.Glance(q.text, width)), width)))
	}
	return lines
}
