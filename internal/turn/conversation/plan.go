package conversation

import (
	"slices"

	"belay/internal/model"
	"belay/internal/session"
)

// plan is what one request shows the model: the history that fits, this turn's
// prompt, and the model calls of the turn so far.
type plan struct {
	earlier []exchange
	whole   []model.Message  // the history, where it needs no planning
	counted model.Counted    // what whole counts
	files   map[int]delivery // of earlier exchanges with attachments, by their place
	elided  int
	// leftOut are those of the elided turns that summary does not cover.
	leftOut []exchange
	// folded is how many calls of this turn are left out with all earlier turns,
	// uncovered those of them that summary does not cover; calls are the others.
	folded           int
	uncovered, calls []*ModelCall
	summary          Summary
	prompt           delivery
	// cost is all of it, the prefix apart.
	cost     cost
	warnings []string
	// many is set where there are so many images that each must be smaller.
	many bool
}

// plan chooses, for the model at hand, how each attachment is delivered and how
// much of the conversation is sent. It depends on nothing but the transcript,
// the prompt and the model's limits, so that the same conversation gives the
// same bytes. The result always fits, unless the person's words or an answer of
// the model alone do not.
func (w *Window) plan(m History) (*plan, error) {
	budget := w.budget()
	p := &plan{files: map[int]delivery{}, summary: m.summary, many: w.manyImages(&m)}
	if w.fresh.Text != "" {
		p.summary = w.fresh
	}
	p.summary.Text = CutText(p.summary.Text, summaryBytes(budget))
	var newest cost
	for _, r := range w.calls {
		if err := w.render(r, p.many); err != nil {
			return nil, err
		}
		newest = r.cost
	}
	// The last result has not been seen yet: the files of the prompt
	// leave space for it.
	if err := w.planPrompt(p, budget.minus(newest.upTo(budget.part(0.5)))); err != nil {
		return nil, err
	}
	// A first summary needs space, too: what it stands for must not change with it.
	left := budget.minus(p.prompt.cost).minus(summaryCost(summaryBytes(budget)))
	if n := len(w.calls); n > 0 {
		if err := w.fitLast(w.calls[n-1], left); err != nil {
			return nil, err
		}
	}
	earlier, cut, err := w.planEarlier(p, m.exchanges, budget.minus(summaryCost(summaryBytes(budget))))
	if err != nil {
		return nil, err
	}
	p.choose(earlier, w, left)
	if p.elided == 0 && !m.mixed && !cut {
		p.whole = m.flat[:len(m.flat):len(m.flat)]
		p.counted = model.Counted{Messages: len(m.flat), Measure: m.counted}
	}
	return p, nil
}

// planEarlier plans the files of earlier turns. A turn that leaves too little of
// the budget to go on is shortened, and then cut is true.
func (w *Window) planEarlier(p *plan, all []exchange, budget cost) (_ []exchange, cut bool, err error) {
	for i := range all {
		if short := all[i].shortened(budget); short != nil {
			if !cut {
				all, cut = slices.Clone(all), true
			}
			all[i] = *short
		}
		if x := &all[i]; x.hasFiles() {
			if p.files[x.nth], err = w.deliver(x, p.many); err != nil {
				return nil, false, err
			}
		}
	}
	return all, cut, nil
}

// choose leaves out the oldest of what does not fit into the budget: earlier turns,
// then model calls of this turn, but never the last.
func (p *plan) choose(earlier []exchange, w *Window, budget cost) {
	covered, done := p.summary.covered(earlier), 0
	if p.summary.Through == w.turn {
		covered, done = len(earlier), min(p.summary.Calls, max(len(w.calls)-1, 0))
	}
	turns, calls := earlier[covered:], w.calls[done:]
	n := len(turns) + len(calls)
	weight := func(i int) cost {
		if i < len(turns) {
			return p.weigh(&turns[i])
		}
		return calls[i-len(turns)].cost
	}
	gone := cut(n, weight, budget, len(w.calls) > 0)
	if w.all {
		gone = max(gone, len(turns))
	}
	p.elided, p.folded = covered+min(gone, len(turns)), done+max(gone-len(turns), 0)
	p.leftOut, p.earlier = earlier[covered:p.elided], earlier[p.elided:]
	p.uncovered, p.calls = w.calls[done:p.folded], w.calls[p.folded:]
	p.cost = p.prompt.cost
	for i := gone; i < n; i++ {
		p.cost = p.cost.plus(weight(i))
	}
	if p.elided > 0 || p.folded > 0 {
		p.cost = p.cost.plus(summaryCost(len(p.summary.Text)))
	}
}

// lacks reports whether something is left out that no summary covers.
func (p *plan) lacks() bool { return len(p.leftOut) > 0 || len(p.uncovered) > 0 }

// weigh is what an earlier exchange adds to the request.
func (p *plan) weigh(x *exchange) cost {
	if x.hasFiles() {
		return p.files[x.nth].cost
	}
	return x.cost
}

// lowWater is how much of the budget is filled again after turns had to go.
// Leaving out several at once keeps the beginning of the request the same for
// many turns, which is what prompt caches live on.
const lowWater = 0.7

// cut is how many of the oldest must go. It walks the conversation as it grew:
// whenever it outgrew the budget, the oldest went until it was down to the
// low-water mark. There are n parts of the given weights; the last may be one to
// keep.
func cut(n int, weight func(int) cost, budget cost, keepLast bool) int {
	var sum cost
	first := 0
	for i := range n {
		sum = sum.plus(weight(i))
		if sum.fits(budget) {
			continue
		}
		end := i + 1
		if keepLast && end == n {
			end--
		}
		for first < end && !sum.fits(budget.part(lowWater)) {
			sum = sum.minus(weight(first))
			first++
		}
	}
	return first
}

// budget is what the conversation may cost.
func (w *Window) budget() cost { return w.prefix.budget(w.factor()) }

// messages is the history as the provider gets it, not to be changed.
func (p *plan) messages() []model.Message {
	if p.whole != nil {
		return p.whole
	}
	out := make([]model.Message, 0, 2*len(p.earlier)+2)
	if p.elided > 0 && p.folded == 0 && !p.partly(0) {
		out = append(out, elided(p.elided, p.summary.Text)...)
	}
	for i := range p.earlier {
		x := &p.earlier[i]
		asked, replies := x.asked, x.replies
		if x.hasFiles() {
			replies = withShown(replies, p.files[x.nth].shown)
			asked = media(model.NewPrompt(x.warning, x.message, p.files[x.nth].parts).Parts())
		}
		if p.partly(i) {
			asked = append(asked[:len(asked):len(asked)], model.Text{Text: note(p.elided, x.folded, p.summary.Text)})
		}
		out = append(out, model.Message{Role: model.User, Content: asked})
		out = append(out, replies...)
	}
	return out
}

// partly reports whether the summary stands for the beginning of that exchange
// and for all before it.
func (p *plan) partly(i int) bool {
	return i < len(p.earlier) && p.earlier[i].folded > 0 && p.earlier[i].turn == p.summary.Through
}

// conversation is all that the request says. The prompt stands apart for as long
// as nothing has followed it.
func (p *plan) conversation(prompt model.Prompt) ([]model.Message, model.Prompt) {
	history := p.messages()
	if len(p.calls) == 0 {
		return history, prompt
	}
	asked := media(prompt.Parts())
	if p.folded > 0 {
		asked = append(asked, model.Text{Text: note(p.elided, p.folded, p.summary.Text)})
	}
	all := make([]model.Message, 0, len(history)+1+2*len(p.calls))
	all = append(append(all, history...), model.Message{Role: model.User, Content: asked})
	for _, r := range p.calls {
		all = append(all, r.answer, model.Message{Role: model.User, Content: r.sent})
	}
	return all, nil
}

func (p *plan) history() session.History {
	h := session.History{Turns: len(p.earlier), Elided: p.elided}
	for i := range p.earlier {
		if x := &p.earlier[i]; x.hasFiles() {
			h.Attachments = append(h.Attachments, p.files[x.nth].items...)
		}
	}
	return h
}
