package conversation

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/quantity"
)

// Summary stands for the oldest turns of a conversation that outgrew the model.
// The turns themselves stay in the transcript.
type Summary struct {
	// Through is the last turn that it covers: its first calls of the model with what
	// followed each, or, where Calls is 0, all of it.
	Through string
	Calls   int
	Text    string
}

// What a summary may take of the budget for the conversation: a part, up to a size.
const (
	summaryPart = 8
	summaryMost = 2048 // tokens
)

// SummaryLeast is how many tokens of a summary are not worth a call.
const SummaryLeast = 128

// SummaryPrompt is the system prompt of the call that makes a summary.
const SummaryPrompt = `You keep the notes of a long conversation between a person and an agent that works on files. The beginning of the conversation does not fit any more, and your summary will stand in its place.

Write what the agent needs to go on: what the person wants and has decided, what was found out, which files were read, made or changed and how they stand, what is still open. Keep names, paths, ids and numbers exactly. Leave out greetings and how things were said. Do not answer the person and do not call tools. Write plain text.`

// summaryBytes is the most that a summary may have beside a conversation with that
// budget.
func summaryBytes(budget cost) int {
	return int(max(0, min(budget.tokens/summaryPart, summaryMost, budget.bytes/summaryPart/jsonBytes(bytesPerToken)))) * bytesPerToken
}

// SummaryBytes is the most that a summary may have.
func (w *Window) SummaryBytes() int { return summaryBytes(w.budget()) }

// SummaryTokens is how many tokens a summary of so many bytes has.
func SummaryTokens(bytes int) int64 { return int64(bytes) / bytesPerToken }

// WithRoom is a text that asks for a summary of at most so many tokens. A model counts words
// better than tokens, and is off all the same: it is asked for fewer.
func WithRoom(text string, tokens int64) string {
	return fmt.Sprintf("%s\n\nWrite at most %d words.", text, tokens/2)
}

// CutSummary is what a model said, cut to so many tokens.
func CutSummary(said string, tokens int64) string {
	return strings.TrimSpace(CutText(said, int(tokens)*bytesPerToken))
}

// NeedsSummary reports whether the plan leaves out something that no summary covers.
func (w *Window) NeedsSummary() bool { return w.planned.lacks() }

// SetSummary takes the summary of what the plan leaves out. The next plan uses it.
func (w *Window) SetSummary(text string) Summary {
	p := w.planned
	w.fresh = Summary{Through: w.turn, Calls: p.folded, Text: text}
	if p.folded == 0 {
		w.fresh.Through = p.leftOut[len(p.leftOut)-1].turn
	}
	return w.fresh
}

// Omitted names what the plan leaves out.
func (w *Window) Omitted() string {
	p := w.planned
	var what []string
	if p.elided > 0 {
		what = append(what, quantity.Count(p.elided, "earlier turn", "earlier turns"))
	}
	if p.folded > 0 {
		first := "the first answer"
		if p.folded > 1 {
			first = "the first " + quantity.Count(p.folded, "answer", "answers")
		}
		what = append(what, first+" of this turn")
	}
	return strings.Join(what, " and ")
}

// covered is how many of the exchanges the summary stands for as a whole.
func (s Summary) covered(all []exchange) int {
	if s.Text == "" {
		return 0
	}
	last := slices.IndexFunc(all, func(x exchange) bool { return x.turn == s.Through })
	if last >= 0 && all[last].folded > 0 && s.Calls > 0 {
		return last
	}
	return 1 + last
}
