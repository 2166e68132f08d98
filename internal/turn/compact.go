package turn

import (
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
	"belay/internal/tool"
)

// summary stands for the oldest turns of a conversation that outgrew the model.
// The turns themselves stay in the transcript.
type summary struct {
	// through is the last turn that it covers: its first rounds answers with what
	// followed each, or, where that is 0, all of it.
	through string
	rounds  int
	text    string
}

// SummaryAgent marks what the transcript keeps of the call that makes a summary.
const SummaryAgent = "summary"

// What a summary may take of the room for the conversation: a part, up to a
// size; below the least it is not worth a call.
const (
	summaryPart  = 8
	summaryMost  = 2048 // tokens
	summaryLeast = 128
)

// summaryBytes is the most that a summary may have beside a conversation in that
// room.
func summaryBytes(room load) int {
	return int(max(0, min(room.tokens/summaryPart, summaryMost, room.bytes/summaryPart/jsonBytes(bytesPerToken)))) * bytesPerToken
}

// covered is how many of the exchanges the summary stands for as a whole.
func (s summary) covered(all []exchange) int {
	if s.text == "" {
		return 0
	}
	last := slices.IndexFunc(all, func(x exchange) bool { return x.turn == s.through })
	if last >= 0 && all[last].folded > 0 && s.rounds > 0 {
		return last
	}
	return 1 + last
}

const summaryPrompt = `You keep the notes of a long conversation between a person and an agent that works on files. The beginning of the conversation does not fit any more, and your summary will stand in its place.

Write what the agent needs to go on: what the person wants and has decided, what was found out, which files were read, made or changed and how they stand, what is still open. Keep names, paths, ids and numbers exactly. Leave out greetings and how things were said. Do not answer the person and do not call tools. Write plain text.`

// summarise makes a summary of what the plan leaves out and none covers yet. The
// model is asked for it, and what it says is put on record. Where there is no
// room or budget for that, or the call fails, a digest must do until the next
// turn. The person is told either way. An error ends the turn.
func (t *running) summarise(p *plan) error {
	most := summaryBytes(t.room())
	t.fresh = summary{through: t.id, rounds: p.folded}
	if p.folded == 0 {
		t.fresh.through = p.leftOut[len(p.leftOut)-1].turn
	}
	kept := t.keptResults(p.behind, most/4)
	said, err := t.askSummary(p, int64(most-len(kept))/bytesPerToken)
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if said == "" {
		t.fresh.text = cutText(p.digest(most-len(kept)), most-len(kept)) + kept
		why := "nothing is left of the budget for a summary of them"
		if err != nil {
			why = "their summary failed: " + fault.From(err).Message
		}
		return t.warn("NOT_SUMMARISED", p.gone()+" no longer fit the model and are left out; "+why)
	}
	t.fresh.text = said + kept
	err = t.append(session.Entry{
		Kind: session.EntrySummary, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()},
		Model: first(t.settings.answeredBy(), t.settings.model), Summary: t.fresh.text, Through: t.fresh.through, Rounds: t.fresh.rounds,
	})
	if err != nil {
		return err
	}
	return t.warn("SUMMARISED", p.gone()+" no longer fit the model; it gets a summary of them, and the transcript keeps them")
}

// askSummary asks the model. It says nothing without an error where that is not
// worth a call.
func (t *running) askSummary(p *plan, most int64) (string, error) {
	room := t.room()
	text := p.minutes(int(min(room.tokens/2*bytesPerToken, room.bytes/2/jsonBytes(1))))
	sub := &running{
		l: t.l, id: t.id, session: t.session, lease: t.lease, blobs: t.blobs, ctx: t.ctx, cancel: t.cancel, done: t.done,
		parent: t, agent: SummaryAgent, spent: t.spent, settings: t.settings, limits: t.limits, tools: tool.NoTools(),
		inputTokens: tokens(len(text) + len(summaryPrompt)), dense: t.dense,
	}
	// It is paid for by the turn and must leave enough of the turn's budget.
	if most = min(most, sub.allowance().tokens/2); most < summaryLeast {
		return "", nil
	}
	a, err := sub.call(&model.Request{
		Model: t.settings.model, System: []string{summaryPrompt}, Prompt: model.StringPrompt(text),
		MaxTokens: most, Mode: t.settings.mode, Summary: true,
	})
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace(cutText(a.said(), int(most)*bytesPerToken))
	if said == "" {
		err = fault.New(fault.SDKFailure, "the model said nothing")
	}
	return said, err
}

// gone names what the plan leaves out.
func (p *plan) gone() string {
	var what []string
	if p.elided > 0 {
		what = append(what, counted(p.elided, "earlier turn", "earlier turns"))
	}
	if p.folded > 0 {
		first := "the first answer"
		if p.folded > 1 {
			first = "the first " + counted(p.folded, "answer", "answers")
		}
		what = append(what, first+" of this turn")
	}
	return strings.Join(what, " and ")
}
