package chat

import (
	"context"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/turn"
)

// dialog has the questions that wait for the person, and the keys while one is answered.
type dialog struct {
	calls        *calls
	conversation *conversation
	editor       *editor
	look         *render.Look

	asks []*ask
	// answering is set while the first question has the keys, away when the person
	// has taken them from it.
	answering, away bool
	// cameUp is when a question came that was the only one. Who begins to type in that
	// moment has not read it.
	cameUp time.Time
	// resting is until when a question that came up after another takes no answer.
	resting time.Time
	// clock is that of the engine, which sets the limits of questions.
	clock engineClock
}

// ask is a question that waits for the person.
type ask struct {
	event.Permission
	session string
	effect  permit.Effect
	// note is open while the person writes why not or, where picking is set, which files
	// count.
	note    *textinput.Model
	picking bool
	// rules are those that "always" would write, while they are shown.
	rules []permit.Rule
	// sent is set while the answer is on its way; failed is why it did not arrive.
	sent   bool
	failed string
	// top is how far the question was scrolled.
	top int
}

// quiet is how long no key must have been pressed for a question to take the keys
// when it comes up, and how long it takes no letter for an answer then: who types does
// not mean to answer.
const quiet = 700 * time.Millisecond

// question shows a question when those before it are answered.
func (d *dialog) question(q *ask) {
	for _, a := range d.asks {
		if a.DecisionID == q.DecisionID {
			return
		}
	}
	if len(d.asks) == 0 {
		d.cameUp = d.calls.o.Clock()
	}
	d.asks = append(d.asks, q)
}

// offer gives the first question the keys. It keeps them until the person takes them
// back.
func (d *dialog) offer() {
	if len(d.asks) > 0 && !d.away {
		d.answering = true
	}
}

// has reports whether a question has the keys.
func (d *dialog) has() bool { return d.answering && len(d.asks) > 0 }

// paste takes a text into the line that is being written, and reports whether there is
// one.
func (d *dialog) paste(msg tea.PasteMsg) bool {
	if !d.has() || d.asks[0].note == nil {
		return false
	}
	*d.asks[0].note, _ = d.asks[0].note.Update(msg)
	return true
}

// closed takes a question away, no matter who answered it.
func (d *dialog) closed(id string) {
	for i, a := range d.asks {
		if a.DecisionID != id {
			continue
		}
		d.asks = append(d.asks[:i:i], d.asks[i+1:]...)
		d.answering = d.answering && len(d.asks) > 0
		if i == 0 { // the next one is not answered by a key that was meant for this
			d.resting, d.away = d.calls.o.Clock().Add(quiet), false
		}
		d.keepNote(a)
		return
	}
}

// drop takes all questions away.
func (d *dialog) drop() {
	asks := d.asks
	d.asks, d.answering, d.away = nil, false, false
	for _, a := range asks {
		d.keepNote(a)
	}
}

// expire takes questions away whose time is over, in case nobody says so.
func (d *dialog) expire() {
	for _, a := range append([]*ask{}, d.asks...) {
		if !a.ExpiresAt.IsZero() && d.clock.now().After(a.ExpiresAt.Add(stopPatience)) {
			d.closed(a.DecisionID)
		}
	}
}

// key is a key while a question has them. It reports whether the question
// took it.
func (d *dialog) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	a := d.asks[0]
	if a.note != nil {
		return d.noteKey(a, k), true
	}
	if a.rules != nil {
		return d.alwaysKey(a, k), true
	}
	now := d.calls.o.Clock()
	if (k.Text != "" || k.Code == tea.KeyEnter) && now.Before(d.resting) {
		d.resting = now.Add(quiet) // they still write for the one before
		return nil, true
	}
	if k.Text != "" && now.Sub(d.cameUp) < quiet {
		d.lookAway()
		return nil, false
	}
	switch k.String() {
	case "y", "Y":
		return d.decide(a, permit.VerdictAllow, ""), true
	case "s", "S":
		if !a.Session {
			a.failed = "this one cannot be allowed for the session, only once"
			return nil, true
		}
		return d.decide(a, permit.VerdictAllowSession, ""), true
	case "a", "A":
		d.openAlways(a)
		return nil, true
	case "n":
		return d.decide(a, permit.VerdictDeny, ""), true
	case "N":
		a.write("why not? ", d.look)
		return nil, true
	case "o", "O":
		if len(a.effect.Choices()) == 0 {
			a.failed = "there are no files to pick from"
			return nil, true
		}
		a.write("only files: ", d.look)
		a.picking, a.failed, a.top = true, "", 0
		return nil, true
	case "tab", "esc":
		d.lookAway()
		return nil, true
	}
	if k.Text != "" { // somebody begins to write, and their next letter may be an answer
		d.lookAway()
	}
	return nil, false
}

// lookAway takes the keys from the question until the person gives them back.
func (d *dialog) lookAway() { d.answering, d.away = false, true }

// lookAt gives the keys back to the question. Who does that has seen it.
func (d *dialog) lookAt() {
	d.answering, d.away, d.cameUp, d.resting = true, false, time.Time{}, time.Time{}
}

// scroll moves the question within a height, and reports whether the key does that.
// What is too far is put right where it is drawn.
func (a *ask) scroll(key string, height int) bool {
	if a.note != nil && !a.picking {
		return false
	}
	page := max(1, height-4)
	by, moves := map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page}[key]
	a.top = max(0, a.top+by)
	return moves
}

// decide sends an answer, once.
func (d *dialog) decide(a *ask, v permit.Verdict, note string, only ...string) tea.Cmd {
	if a.sent {
		return nil
	}
	a.sent, a.failed = true, ""
	r := turn.DecisionRequest{SessionID: a.session, DecisionID: a.DecisionID, Verdict: v, By: d.calls.o.By, Note: note, Only: only}
	return d.calls.call(func(ctx context.Context) tea.Msg {
		_, err := d.calls.o.Engine.Decide(ctx, r)
		return decided{r.DecisionID, err}
	})
}

// reached forgets why answers did not arrive: there is a connection again.
func (d *dialog) reached() {
	for _, a := range d.asks {
		a.failed = ""
	}
}

// decided takes the engine's word on an answer. That the question is closed
// comes from the log; one that was closed before is taken away at once.
func (d *dialog) decided(msg decided) {
	for _, a := range d.asks {
		if a.DecisionID != msg.id || msg.err == nil {
			continue
		}
		if fault.Is(msg.err, fault.DecisionClosed) || fault.Is(msg.err, fault.NotFound) {
			d.conversation.notify(noticeWarning, why(msg.err))
			d.closed(msg.id)
			return
		}
		a.sent, a.failed = false, why(msg.err)
		return
	}
}
