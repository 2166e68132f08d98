// Package conversation decides what is sent to a model and how it fits.
//
// [Window] holds what one agent of a turn has been asked and has answered, each
// answer as a [ModelCall]. [History] is what the transcript has of the turns before.
// [Window.Plan] chooses how much of both the next request has and in what form
// attachments are delivered. What does not fit is replaced by a summary, which the
// caller asks a model for.
//
// The package runs nothing and writes nothing. The same transcript, prompt and limits
// give the same request, because prompt caches depend on that.
package conversation

import (
	"slices"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/session"
)

// Files delivers files for a model and keeps texts that it gets only in part.
type Files interface {
	// Deliver plans one attachment for a model with these limits. With many set the
	// request has so many images that each must be smaller.
	Deliver(it attachment.Item, l attachment.Limits, many bool) (attachment.Delivery, error)
	// Keep says how the model can see the whole result of a call of that tool.
	Keep(tool, text string) string
	// NoteBytes bounds what Keep says.
	NoteBytes() int
}

// Prompt is what the agent is asked.
type Prompt struct {
	// Warning comes before the message.
	Message, Warning string
	Items            []attachment.Item
}

// Window is the conversation of one agent during one turn, as its model sees it. It belongs to one
// goroutine.
type Window struct {
	turn   string
	prefix Prefix
	prompt Prompt
	files  Files

	// planned is what the next request has, nil before the first plan.
	planned *plan
	calls   []*ModelCall
	// fresh is the summary that this turn made.
	fresh Summary
	// all is set where the plan leaves out all earlier turns.
	all bool
	// calibration is how many tokens the provider counts for one that we estimate, 0
	// while nothing is known.
	calibration float64
	inputTokens int64
	// warned are warnings about files that the caller has taken, cut results that it
	// has not.
	warned []string
	cut    []Result
}

// New returns the conversation of an agent that nothing has been sent of.
func New(turn string, prefix Prefix, prompt Prompt, files Files) *Window {
	return &Window{turn: turn, prefix: prefix, prompt: prompt, files: files}
}

// Plan plans the next request. Afterwards the caller makes the summary where one is
// needed ([Window.NeedsSummary]) and plans again, takes what was cut, and warns.
// The request always fits, unless the person's message or an answer of the model alone
// does not.
func (w *Window) Plan(h History) error {
	p, err := w.plan(h)
	if err != nil {
		return err
	}
	w.planned, w.inputTokens = p, p.cost.tokens+w.prefix.Tokens()
	if p.lacks() { // a summary will stand for it
		w.inputTokens += summaryCost(summaryBytes(w.budget())).tokens
	}
	return nil
}

// FoldAll has each plan leave out all earlier turns, whatever fits.
func (w *Window) FoldAll() { w.all = true }

// Add adds a model call and what followed it. It reports whether that fits into the
// request as it is planned; otherwise the caller plans anew.
func (w *Window) Add(m *ModelCall) (fits bool, err error) {
	w.calls = append(w.calls, m)
	p := w.planned
	if len(m.items()) > 0 {
		return false, nil
	}
	if err := w.render(m, p.many); err != nil {
		return false, err
	}
	sum := p.cost.plus(m.cost)
	if !sum.fits(w.budget()) {
		return false, nil
	}
	p.cost, p.calls = sum, w.calls[p.folded:]
	w.inputTokens += m.cost.tokens
	return true, nil
}

// Request is the request as it was planned, without a model.
func (w *Window) Request() *model.Request {
	p := w.planned
	r := &model.Request{System: w.prefix.System, Tools: w.prefix.Tools, Folded: p.folded, Counted: p.counted}
	r.History, r.Prompt = p.conversation(model.NewPrompt(w.prompt.Warning, w.prompt.Message, p.prompt.parts))
	return r
}

// PromptFiles are the prompt's files as they were delivered.
func (w *Window) PromptFiles() []session.Delivered { return w.planned.prompt.items }

// Sent says how much of the earlier turns the request has.
func (w *Window) Sent() session.History { return w.planned.history() }

// TakeWarnings are those about files that the caller has not taken yet.
func (w *Window) TakeWarnings() (fresh []string) {
	for _, said := range w.planned.warnings {
		if !slices.Contains(w.warned, said) {
			fresh = append(fresh, said)
		}
	}
	w.warned = w.planned.warnings
	return fresh
}

// TakeCut are the results that plans have cut since the last time.
func (w *Window) TakeCut() []Result {
	cut := w.cut
	w.cut = nil
	return cut
}

// Calls is the number of model calls of the turn so far.
func (w *Window) Calls() int { return len(w.calls) }
