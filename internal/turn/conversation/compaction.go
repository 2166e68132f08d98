package conversation

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Caps of one text, in bytes: in what is summarised, and in the fallback.
const (
	compactionTextBytes = 2 << 10
	fallbackTextBytes   = 160
)

// CompactionInput is what the plan leaves out and no summary covers, as text for the
// model that summarises it: at most half of the budget, the newest where not all of it
// fits, after the summary that there is.
func (w *Window) CompactionInput() string {
	budget := w.budget()
	most := int(min(budget.tokens/2*bytesPerToken, budget.bytes/2/jsonBytes(1)))
	return "Summarise this:\n\n" + w.planned.compacted(most, compactionTextBytes)
}

// FallbackSummary stands for a summary that nobody made, in at most so many bytes.
func (w *Window) FallbackSummary(most int) string {
	const note = "(There is no summary; this is how it went.)\n\n"
	return CutText(note+w.planned.compacted(most-len(note), fallbackTextBytes), most)
}

// compacted is what the plan leaves out, each text in it cut to so many bytes.
func (p *plan) compacted(most, each int) string {
	before := ""
	if p.summary.Text != "" {
		before = "Summary of everything before:\n" + CutText(p.summary.Text, most/2) + "\n\n"
		most -= len(before)
	}
	var all []string
	for i := range p.leftOut {
		all = append(all, p.leftOut[i].plainText(each))
	}
	for _, r := range p.uncovered {
		all = append(all, r.plainText(each))
	}
	first := len(all)
	for first > 0 && most >= len(all[first-1])+1 {
		first--
		most -= len(all[first]) + 1
	}
	if first > 0 {
		before += fmt.Sprintf("(%d parts before these are too long to be shown.)\n\n", first)
	}
	return before + strings.Join(all[first:], "\n")
}

// plainTextWriter writes who said what, a line each.
type plainTextWriter struct {
	strings.Builder
	each int
}

func (w *plainTextWriter) line(who, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(w, "%s: %s\n", who, middleOut(text, w.each))
	}
}

func (w *plainTextWriter) files(who string, items []attachment.Item) {
	for _, it := range items {
		w.line(who, fmt.Sprintf("[attached %s, %s]", it.Name, it.MIMEType))
	}
}

func (w *plainTextWriter) content(all []model.Content) {
	for _, c := range all {
		switch c := c.(type) {
		case model.Text:
			w.line("Agent", c.Text)
		case model.ToolCall:
			w.line("Agent", "[calls "+c.Name+" "+string(c.Input)+"]")
		case model.ToolOutput:
			w.line("Result", outputText(c))
		case model.Media:
			if text, ok := c.Part.(attachment.TextPart); ok {
				w.line("Person", text.Text)
			}
		}
	}
}

func (x *exchange) plainText(each int) string {
	w := plainTextWriter{each: each}
	w.line("Person", x.message)
	w.files("Person", x.items)
	for _, m := range x.replies {
		w.content(m.Content)
	}
	return w.String()
}

func (r *ModelCall) plainText(each int) string {
	w := plainTextWriter{each: each}
	w.content(r.answer.Content)
	for _, b := range r.results {
		w.line("Result", b.Text)
		w.files("Result", b.Items)
	}
	for _, in := range r.inputs {
		w.line("Person", in.Message)
		w.files("Person", in.Items)
	}
	return w.String()
}

// longResult is the size in bytes from which a result that is left out is worth
// a line on how to see it again.
const longResult = 1 << 10

// OmittedResults lists the long results of calls that the plan leaves out, the last
// ones, each with the way to see it again, in at most so many bytes.
func (w *Window) OmittedResults(most int) string {
	const head = "\n\nResults that were left out:"
	var lines []string
	most -= len(head)
	for _, r := range slices.Backward(w.planned.uncovered) {
		calls := map[string]string{}
		for _, c := range r.answer.Content {
			if c, ok := c.(model.ToolCall); ok {
				calls[c.ID] = c.Name + " " + middleOut(string(c.Input), fallbackTextBytes)
			}
		}
		for _, b := range slices.Backward(r.results) {
			if len(b.Text) < longResult || most <= 0 {
				continue
			}
			line := fmt.Sprintf("\n- %s, %d bytes: %s", calls[b.ID], len(b.Text), w.files.Keep(b.Name, b.Text))
			if most -= len(line); most >= 0 {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.Reverse(lines)
	return head + strings.Join(lines, "")
}
