package conversation

import (
	"iter"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/quantity"
)

// highWater is how much of the budget one earlier turn may fill by itself: the next
// has to fit after it.
const highWater = 0.9

// shortened is the exchange with the results of its calls cut down to the
// low-water mark, and nil where its words are not above the high one. Without it a
// turn that has read more than the model at hand can hold would be gone as a whole.
func (x *exchange) shortened(budget cost) *exchange {
	if x.cost.fits(budget.part(highWater)) {
		return nil
	}
	short := *x
	over := x.size - int64(lowWater*float64(min(budget.tokens*bytesPerToken, budget.bytes/jsonBytes(1))))
	var sizes []int
	total := 0
	for text := range x.outputs() {
		sizes, total = append(sizes, len(text)), total+len(text)
	}
	most := max(share(sizes, total-int(min(over, int64(total)))-len(sizes)*len(cutNote(total, ""))), leastText)
	replies := make([]model.Message, len(x.replies))
	for i, m := range x.replies {
		replies[i] = model.Message{Role: m.Role, Content: slices.Clone(m.Content)}
		for k, c := range m.Content {
			o, ok := c.(model.ToolOutput)
			if !ok {
				continue
			}
			if text := outputText(o); len(text) > most {
				less := middleOut(text, most) + cutNote(len(text), "")
				short.size += int64(len(less) - len(text))
				o.Parts = []attachment.Part{attachment.TextPart{Text: less}}
				replies[i].Content[k] = o
			}
		}
	}
	short.replies, short.cost = replies, cost{bytes: jsonBytes(short.size), tokens: Tokens(int(short.size))}
	return &short
}

// outputs are the texts of the results of the exchange's calls.
func (x *exchange) outputs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range x.replies {
			for _, c := range m.Content {
				if o, ok := c.(model.ToolOutput); ok && !yield(outputText(o)) {
					return
				}
			}
		}
	}
}

// outputText is the words of a result that was made by [toolOutput].
func outputText(o model.ToolOutput) string {
	if text, ok := o.Parts[0].(attachment.TextPart); ok {
		return text.Text
	}
	return ""
}

// elided is the exchange that stands for turns that no longer fit. It is a pair
// of its own so that the exchanges after it stay what they were.
func elided(n int, summary string) []model.Message {
	return []model.Message{
		{Role: model.User, Content: []model.Content{model.Text{Text: note(n, 0, summary)}}},
		{Role: model.Assistant, Content: []model.Content{model.Text{Text: "(Noted.)"}}},
	}
}

// note stands for what was left out: earlier turns, and answers of the turn in
// whose first message it is.
func note(turns, answers int, summary string) string {
	var what []string
	if turns > 0 {
		what = append(what, quantity.Count(turns, "earlier turn", "earlier turns")+" of this conversation")
	}
	if answers > 0 {
		what = append(what, quantity.Count(answers, "answer", "answers")+" to this message, with the results of their calls,")
	}
	text := "[" + strings.Join(what, " and ") + " left out here to fit the model; the session's transcript has them.]"
	if summary != "" {
		text += "\n\nSummary of them:\n\n" + summary
	}
	return text
}

// summaryCost is what is added by a summary of that many bytes and by the words
// around it.
func summaryCost(size int) cost {
	size += 256
	return cost{bytes: jsonBytes(int64(size)), tokens: Tokens(size)}
}
