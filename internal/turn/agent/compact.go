package agent

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// aloneAgent marks the summary of a turn that saw nothing of the session's earlier ones. Later
// turns do not use it.
const aloneAgent = "alone"

// SummaryAgent marks what the transcript keeps of the call that makes a summary.
const SummaryAgent = "summary"

// summarise makes a summary of what the plan leaves out and none covers yet. The
// model is asked for it, and its answer is put on record. Where there is no room or
// budget for that, or the call fails, a fallback must do until the next turn. The
// person is notified either way. An error ends the turn.
func (p *planner) summarise() error {
	w := p.run.window
	most, omitted := w.SummaryBytes(), w.Omitted()
	kept := w.OmittedResults(most / 4)
	said, err := p.askSummary("", conversation.SummaryTokens(most-len(kept)))
	if p.run.Context.Err() != nil {
		return p.run.Context.Err()
	}
	if said == "" {
		w.SetSummary(w.FallbackSummary(most-len(kept)) + kept)
		why := "nothing is left of the budget for a summary of them"
		if err != nil {
			why = "their summary failed: " + fault.From(err).Message
		}
		return p.run.Events.Warn("NOT_SUMMARISED", omitted+" no longer fit the model and are left out; "+why)
	}
	if err := p.keepSummary(said + kept); err != nil {
		return err
	}
	return p.run.Events.Warn("SUMMARISED", omitted+" no longer fit the model; it gets a summary of them, and the transcript keeps them")
}

// keepSummary puts a summary of what the plan leaves out on record. The next plan uses it.
func (p *planner) keepSummary(text string) error {
	s := p.run.window.SetSummary(text)
	of := p.run.agent
	if p.run.Alone {
		of = aloneAgent
	}
	return p.run.Transcript.Append(session.Entry{
		Kind: session.EntrySummary, Turn: p.run.ID, Agent: of, Time: session.Time{Time: p.run.Clock()},
		Model: cmp.Or(p.run.Settings.AnsweredBy(), p.run.Settings.Model), Summary: s.Text, Through: s.Through, Rounds: s.Calls,
	})
}

// compact summarises all turns before this one, because the person asked for that. Where
// it fails, nothing is on record but the turn that failed, and the next one is sent the
// whole conversation.
func (p *planner) compact() (Completion, error) {
	w := p.run.window
	if err := p.planOnce(); err != nil {
		return Completion{}, err
	}
	if !w.NeedsSummary() {
		return Completion{Reason: string(model.StopEndTurn), Text: "There is nothing to summarise: no turn has ended since the last summary."}, nil
	}
	omitted := w.Omitted()
	said, err := p.askSummary(p.run.Message, conversation.SummaryTokens(w.SummaryBytes()))
	if err != nil {
		return Completion{}, err
	}
	if said == "" {
		return Completion{}, fault.New(fault.BudgetExceeded, "neither the turn's budget nor the model's context has room for a summary").
			WithHint("raise the budget of the turn, or choose a model with a larger context; the conversation is as it was")
	}
	if err := p.keepSummary(said); err != nil {
		return Completion{}, err
	}
	if err := p.planOnce(); err != nil {
		return Completion{}, err
	}
	if err := p.run.Events.Warn("COMPACTED", omitted+" became a summary for the model; the transcript keeps them whole"); err != nil {
		return Completion{}, err
	}
	return Completion{Reason: string(model.StopEndTurn), Text: said, ContextTokens: w.CountedTokens()}, nil
}

// askSummary asks the model for a summary of at most so many tokens that keeps what the
// person wishes. It says nothing without an error where that is not worth a call.
func (p *planner) askSummary(wish string, most int64) (string, error) {
	text := p.run.window.CompactionInput()
	if wish != "" {
		text += "\n\nThe person who asks for this summary says: " + wish
	}
	sub := &Run{Turn: p.run.Turn, agent: SummaryAgent, Settings: p.run.Settings, limits: p.run.limits}
	// It is paid for by the turn and must leave enough of the turn's budget.
	input := p.run.window.Calibrated(conversation.Tokens(len(text) + len(conversation.SummaryPrompt)))
	allowed := sub.budget().allowance(input).tokens / 2
	if most = min(most, allowed); most < conversation.SummaryLeast {
		return "", nil
	}
	a, err := modelCall{sub}.do(&model.Request{
		Model: p.run.Settings.Model, System: []string{conversation.SummaryPrompt}, Prompt: model.StringPrompt(conversation.WithRoom(text, most)),
		MaxTokens: min(allowed, most*thinkingRoom), Mode: p.run.Settings.Mode, Summary: true,
	})
	if err != nil {
		return "", err
	}
	said := conversation.CutSummary(a.Said(), most)
	switch {
	case a.Stop != model.StopEndTurn && a.Stop != model.StopSequence: // it would stand for all that was said
		return "", fault.New(fault.SDKFailure, "%s", unfinished(a.Stop))
	case said == "":
		return "", fault.New(fault.SDKFailure, "the model said nothing")
	}
	return said, nil
}

// unfinished says why an answer is no summary.
func unfinished(why model.StopReason) string {
	switch why {
	case model.StopRefusal:
		return "the model declined to write a summary"
	case model.StopMaxTokens, model.StopContext:
		return "the model's summary was cut off at the limit of tokens"
	}
	return fmt.Sprintf("the model stopped with %q instead of a summary", why)
}

// thinkingRoom is by how much the answer with a summary may be longer than the summary: a
// model that thinks counts that, too.
const thinkingRoom = 4

// consult calls the model within the turn's allowance; without one there is no
// answer. A request that the provider finds too long, although it was thought to
// fit, is planned with more caution and sent again. A request that failed after it was billed
// is sent again for as long an answer as the rest of the budget covers.
func (p *planner) consult(r *model.Request) (*conversation.Answer, allowance, error) {
	for failed := 0; ; {
		most := p.run.budget().allowance(p.run.window.CountedTokens())
		if most.tokens <= 0 {
			return nil, most, nil
		}
		r.MaxTokens = most.tokens
		a, err := modelCall{p.run}.do(r)
		if err == nil {
			p.run.window.Calibrate(a.Usage)
			return a, most, nil
		}
		if over := (*overBudgetError)(nil); errors.As(err, &over) && failed < maxShorter {
			failed++
			if err := p.wait(over.failed); err != nil {
				return nil, most, err
			}
			continue
		}
		if !p.run.window.CalibrateRefusal() || !tooLong(err) {
			return nil, most, err
		}
		if err := p.plan(); err != nil {
			return nil, most, err
		}
		r = p.planned()
	}
}

// maxShorter is how often a call is made again for a shorter answer.
const maxShorter = 4

// wait warns of the next attempt, and waits until it is due or the turn ends.
func (p *planner) wait(failed model.Retry) error {
	if err := (modelCall{p.run}).retries(failed); err != nil {
		return err
	}
	select {
	case <-time.After(failed.After):
		return nil
	case <-p.run.Context.Done():
		return p.run.Context.Err()
	}
}

func tooLong(err error) bool {
	if said := (*model.TooLongError)(nil); errors.As(err, &said) {
		return true
	}
	f := fault.From(err)
	return f != nil && f.Type == fault.SDKFailure && f.Status == 400 && model.SaysTooLong(f.Message)
}
