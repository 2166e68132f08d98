package agent

import (
	"cmp"
	"errors"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

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
	said, err := p.askSummary(conversation.SummaryTokens(most - len(kept)))
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
	s := w.SetSummary(said + kept)
	err = p.run.append(session.Entry{
		Kind: session.EntrySummary, Turn: p.run.ID, Time: session.Time{Time: p.run.Clock()},
		Model: cmp.Or(p.run.Settings.AnsweredBy(), p.run.Settings.Model), Summary: s.Text, Through: s.Through, Rounds: s.Calls,
	})
	if err != nil {
		return err
	}
	return p.run.Events.Warn("SUMMARISED", omitted+" no longer fit the model; it gets a summary of them, and the transcript keeps them")
}

// askSummary asks the model for a summary of at most so many tokens. It says nothing
// without an error where that is not worth a call.
func (p *planner) askSummary(most int64) (string, error) {
	text := p.run.window.CompactionInput()
	sub := &Run{Turn: p.run.Turn, agent: SummaryAgent, Settings: p.run.Settings, limits: p.run.limits}
	// It is paid for by the turn and must leave enough of the turn's budget.
	input := p.run.window.Calibrated(conversation.Tokens(len(text) + len(conversation.SummaryPrompt)))
	if most = min(most, sub.budget().allowance(input).tokens/2); most < conversation.SummaryLeast {
		return "", nil
	}
	a, err := modelCall{sub}.do(&model.Request{
		Model: p.run.Settings.Model, System: []string{conversation.SummaryPrompt}, Prompt: model.StringPrompt(text),
		MaxTokens: most, Mode: p.run.Settings.Mode, Summary: true,
	})
	if err != nil {
		return "", err
	}
	said := conversation.CutSummary(a.Said(), most)
	if said == "" {
		err = fault.New(fault.SDKFailure, "the model said nothing")
	}
	return said, err
}

// consult calls the model within the turn's allowance; without one there is no
// answer. A request that the provider finds too long, although it was thought to
// fit, is planned with more caution and sent again.
func (p *planner) consult(r *model.Request) (*conversation.Answer, allowance, error) {
	for {
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
		if !p.run.window.CalibrateRefusal() || !tooLong(err) {
			return nil, most, err
		}
		if err := p.plan(); err != nil {
			return nil, most, err
		}
		r = p.planned()
	}
}

// tooLongWords are how services say that a request is over the model's context.
var tooLongWords = lazyregexp.New(`(?i)prompt is too long|exceeds? (the )?(model's )?(maximum )?context|maximum context length`)

func tooLong(err error) bool {
	if said := (*model.TooLongError)(nil); errors.As(err, &said) {
		return true
	}
	f := fault.From(err)
	return f != nil && f.Type == fault.SDKFailure && f.Status == 400 && tooLongWords.MatchString(f.Message)
}
