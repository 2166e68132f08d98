package chat

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/render"
)

// outbox is what the person said and no turn has heard yet.
type outbox struct {
	// sending is what was said while no turn ran and is on its way; sendingTurn the turn that
	// the engine began with it, "" until that is known.
	sending     *said
	sendingTurn string
	// early is what was said while that was on its way; queued what was said into
	// the running turn, which has not taken it yet; late what came when the turn was over but its end
	// was not seen yet.
	early, queued, late []steering
	// held is what was entered before the session was read; it goes out then.
	held []steering
	// tried are the keys of messages that failed, by what is in them. The engine may have
	// taken such a message all the same, and takes it only once when it is sent again.
	tried map[string]string
	// attached are the files that go with the next message.
	attached []string
}

// waiting is all that waits for a turn.
func (o *outbox) waiting() []steering { return slices.Concat(o.queued, o.held, o.early, o.late) }

// keyed gives a message its key: that of an earlier try with the same content, else a new one.
func (o *outbox) keyed(what said) said {
	if what.key == "" {
		what.key = cmp.Or(o.tried[contentOf(what)], rand.Text())
	}
	return what
}

// failed keeps the key of a message that failed, for another try. One that the engine has taken
// with other options is new the next time.
func (o *outbox) failed(what said, err error) {
	if fault.Is(err, fault.IdempotencyConflict) {
		delete(o.tried, contentOf(what))
		return
	}
	if o.tried == nil {
		o.tried = map[string]string{}
	}
	o.tried[contentOf(what)] = what.key
}

// forget drops the keys of messages with this text, and reports whether there were any.
func (o *outbox) forget(text string) bool {
	before := len(o.tried)
	maps.DeleteFunc(o.tried, func(content, _ string) bool { return strings.Split(content, "\x00")[1] == text })
	return len(o.tried) < before
}

// contentOf is all that makes two messages the same.
func contentOf(what said) string {
	return fmt.Sprint(what.compact) + "\x00" + what.text + "\x00" + strings.Join(what.files, "\x00")
}

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

// received notes that the engine has what was said into a turn under a key.
func (o *outbox) received(key string) {
	for i := range o.queued {
		if o.queued[i].key == key {
			o.queued[i].received = true
		}
	}
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
