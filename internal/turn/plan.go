package turn

import (
	"slices"

	"belay/internal/model"
	"belay/internal/session"
)

// plan is what one request shows the model: the history that fits, this turn's
// prompt, and the rounds of the turn so far.
type plan struct {
	earlier []exchange
	whole   []model.Message     // the history, where it needs no planning
	counted model.Counted       // what whole counts
	files   map[string]delivery // of earlier turns with attachments, by turn
	elided  int
	// leftOut are those of the elided turns that summary does not cover.
	leftOut []exchange
	// folded is how many rounds of this turn are left out with all earlier turns,
	// behind those of them that summary does not cover; rounds are the others.
	folded         int
	behind, rounds []*round
	summary        summary
	prompt         delivery
	// load is all of it, the frame apart.
	load     load
	warnings []string
	// many is set where there are so many images that each must be smaller.
	many bool
}

// load is what counts against a request's limits.
type load struct {
	bytes, tokens int64
	images, pages int
}

func (a load) plus(b load) load {
	return load{a.bytes + b.bytes, a.tokens + b.tokens, a.images + b.images, a.pages + b.pages}
}

func (a load) minus(b load) load {
	return load{a.bytes - b.bytes, a.tokens - b.tokens, a.images - b.images, a.pages - b.pages}
}

// part is a part of a, from 0 to 1; files are counted whole.
func (a load) part(p float64) load {
	return load{int64(float64(a.bytes) * p), int64(float64(a.tokens) * p), a.images, a.pages}
}

// upTo is a, and no more than b.
func (a load) upTo(b load) load {
	return load{min(a.bytes, b.bytes), min(a.tokens, b.tokens), min(a.images, b.images), min(a.pages, b.pages)}
}

// fits reports whether a is within b.
func (a load) fits(b load) bool {
	return a.bytes <= b.bytes && a.tokens <= b.tokens && a.images <= max(b.images, 0) && a.pages <= max(b.pages, 0)
}

// plan chooses, for the model at hand, how each attachment is delivered and how
// much of the conversation is sent. It depends on nothing but the transcript,
// the prompt and the model's limits, so that the same conversation gives the
// same bytes. The result always fits, unless the person's words or an answer of
// the model alone do not.
func (t *running) plan() (*plan, error) {
	m := t.remember()
	room := t.room()
	p := &plan{files: map[string]delivery{}, summary: m.summary, many: t.manyImages(&m)}
	if t.fresh.text != "" {
		p.summary = t.fresh
	}
	p.summary.text = cutText(p.summary.text, summaryBytes(room))
	var newest load
	for _, r := range t.rounds {
		if err := t.render(r, p.many); err != nil {
			return nil, err
		}
		newest = r.load
	}
	// What the last round tells has not been seen yet: the files of the prompt
	// make room for it.
	if err := t.planPrompt(p, room.minus(newest.upTo(room.part(0.5)))); err != nil {
		return nil, err
	}
	// A first summary needs room, too: what it stands for must not change with it.
	left := room.minus(p.prompt.load).minus(summaryLoad(summaryBytes(room)))
	if n := len(t.rounds); n > 0 {
		if err := t.fitRound(t.rounds[n-1], left); err != nil {
			return nil, err
		}
	}
	earlier, cut, err := t.planEarlier(p, m.exchanges, room.minus(summaryLoad(summaryBytes(room))))
	if err != nil {
		return nil, err
	}
	p.choose(earlier, t, left)
	if p.elided == 0 && !m.mixed && !cut {
		p.whole = m.flat[:len(m.flat):len(m.flat)]
		p.counted = model.Counted{Messages: len(m.flat), Measure: m.counted}
	}
	return p, nil
}

// planEarlier plans the files of earlier turns. A turn that leaves too little of
// the room to go on is shortened, and then cut is true.
func (t *running) planEarlier(p *plan, all []exchange, room load) (_ []exchange, cut bool, err error) {
	for i := range all {
		if short := all[i].shortened(room); short != nil {
			if !cut {
				all, cut = slices.Clone(all), true
			}
			all[i] = *short
		}
		if x := &all[i]; x.hasFiles() {
			if p.files[x.turn], err = t.deliver(x, t.limits.Attachments, p.many); err != nil {
				return nil, false, err
			}
		}
	}
	return all, cut, nil
}

// choose leaves out the oldest of what does not fit into the room: earlier turns,
// then rounds of this turn, but never the last.
func (p *plan) choose(earlier []exchange, t *running, room load) {
	covered, done := p.summary.covered(earlier), 0
	if p.summary.through == t.id {
		covered, done = len(earlier), min(p.summary.rounds, max(len(t.rounds)-1, 0))
	}
	turns, rounds := earlier[covered:], t.rounds[done:]
	n := len(turns) + len(rounds)
	weight := func(i int) load {
		if i < len(turns) {
			return p.weigh(&turns[i])
		}
		return rounds[i-len(turns)].load
	}
	gone := cut(n, weight, room, len(t.rounds) > 0)
	p.elided, p.folded = covered+min(gone, len(turns)), done+max(gone-len(turns), 0)
	p.leftOut, p.earlier = earlier[covered:p.elided], earlier[p.elided:]
	p.behind, p.rounds = t.rounds[done:p.folded], t.rounds[p.folded:]
	p.load = p.prompt.load
	for i := gone; i < n; i++ {
		p.load = p.load.plus(weight(i))
	}
	if p.elided > 0 || p.folded > 0 {
		p.load = p.load.plus(summaryLoad(len(p.summary.text)))
	}
}

// lacks reports whether something is left out that no summary covers.
func (p *plan) lacks() bool { return len(p.leftOut) > 0 || len(p.behind) > 0 }

// weigh is what an earlier exchange adds to the request.
func (p *plan) weigh(x *exchange) load {
	if x.hasFiles() {
		return p.files[x.turn].load
	}
	return x.load
}

// lowWater is how much of the room is filled again after turns had to go.
// Leaving out several at once keeps the beginning of the request the same for
// many turns, which is what prompt caches live on.
const lowWater = 0.7

// cut is how many of the oldest must go. It walks the conversation as it grew:
// whenever it outgrew the room, the oldest went until it was down to the
// low-water mark. There are n parts of the given weights; the last may be one to
// keep.
func cut(n int, weight func(int) load, room load, keepLast bool) int {
	var sum load
	first := 0
	for i := range n {
		sum = sum.plus(weight(i))
		if sum.fits(room) {
			continue
		}
		end := i + 1
		if keepLast && end == n {
			end--
		}
		for first < end && !sum.fits(room.part(lowWater)) {
			sum = sum.minus(weight(first))
			first++
		}
	}
	return first
}

// room is what the conversation may fill.
func (t *running) room() load {
	a := t.limits.Attachments
	system := int64(0)
	for _, s := range t.system {
		system += int64(len(s))
	}
	return load{
		bytes:  a.RequestBytes - requestOverheadBytes - jsonBytes(system),
		tokens: t.inputRoom(),
		images: a.Images, pages: a.PDFPages,
	}
}

// jsonBytes bounds what n bytes of text become as a JSON string.
func jsonBytes(n int64) int64 { return 6 * n }

// messages is the history as the provider gets it, not to be changed.
func (p *plan) messages() []model.Message {
	if p.whole != nil {
		return p.whole
	}
	out := make([]model.Message, 0, 2*len(p.earlier)+2)
	if p.elided > 0 && p.folded == 0 && !p.partly(0) {
		out = append(out, elided(p.elided, p.summary.text)...)
	}
	for i := range p.earlier {
		x := &p.earlier[i]
		asked, replies := x.asked, x.replies
		if x.hasFiles() {
			replies = withShown(replies, p.files[x.turn].shown)
			asked = media(model.NewPrompt(x.warning, x.message, p.files[x.turn].parts).Parts())
		}
		if p.partly(i) {
			asked = append(asked[:len(asked):len(asked)], model.Text{Text: note(p.elided, x.folded, p.summary.text)})
		}
		out = append(out, model.Message{Role: model.User, Content: asked})
		out = append(out, replies...)
	}
	return out
}

// partly reports whether the summary stands for the beginning of that exchange
// and for all before it.
func (p *plan) partly(i int) bool {
	return i < len(p.earlier) && p.earlier[i].folded > 0 && p.earlier[i].turn == p.summary.through
}

// conversation is all that the request says. The prompt stands apart for as long
// as nothing has followed it.
func (p *plan) conversation(prompt model.Prompt) ([]model.Message, model.Prompt) {
	history := p.messages()
	if len(p.rounds) == 0 {
		return history, prompt
	}
	asked := media(prompt.Parts())
	if p.folded > 0 {
		asked = append(asked, model.Text{Text: note(p.elided, p.folded, p.summary.text)})
	}
	all := make([]model.Message, 0, len(history)+1+2*len(p.rounds))
	all = append(append(all, history...), model.Message{Role: model.User, Content: asked})
	for _, r := range p.rounds {
		all = append(all, r.answer, model.Message{Role: model.User, Content: r.told})
	}
	return all, nil
}

func (p *plan) history() session.History {
	h := session.History{Turns: len(p.earlier), Elided: p.elided}
	for i := range p.earlier {
		if x := &p.earlier[i]; x.hasFiles() {
			h.Attachments = append(h.Attachments, p.files[x.turn].items...)
		}
	}
	return h
}
