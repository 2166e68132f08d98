package turn

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
)

// minutesOf and digestOf cap one text in the minutes and in a digest, in bytes.
const (
	minutesOf = 2 << 10
	digestOf  = 160
)

// minutes are what is to be summarised as text of at most so many bytes, the
// newest where not all of it fits, behind the summary that there is.
func (p *plan) minutes(most int) string { return "Summarise this:\n\n" + p.told(most, minutesOf) }

// digest stands for a summary that nobody made.
func (p *plan) digest(most int) string {
	const note = "(There is no summary; this is how it went.)\n\n"
	return note + p.told(most-len(note), digestOf)
}

// told is what the plan leaves out, each text in it cut to so many bytes.
func (p *plan) told(most, each int) string {
	before := ""
	if p.summary.text != "" {
		before = "Summary of everything before:\n" + cutText(p.summary.text, most/2) + "\n\n"
		most -= len(before)
	}
	var all []string
	for i := range p.leftOut {
		all = append(all, p.leftOut[i].minutes(each))
	}
	for _, r := range p.behind {
		all = append(all, r.minutes(each))
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

// minutesWriter writes who said what, a line each.
type minutesWriter struct {
	strings.Builder
	each int
}

func (w *minutesWriter) line(who, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(w, "%s: %s\n", who, middleOut(text, w.each))
	}
}

func (w *minutesWriter) files(who string, items []attachment.Item) {
	for _, it := range items {
		w.line(who, fmt.Sprintf("[attached %s, %s]", it.Name, it.MIMEType))
	}
}

func (w *minutesWriter) content(all []model.Content) {
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

// minutes is an exchange as text.
func (x *exchange) minutes(each int) string {
	w := minutesWriter{each: each}
	w.line("Person", x.message)
	w.files("Person", x.items)
	for _, m := range x.replies {
		w.content(m.Content)
	}
	return w.String()
}

// minutes is a round as text.
func (r *round) minutes(each int) string {
	w := minutesWriter{each: each}
	w.content(r.answer.Content)
	for _, b := range r.results {
		w.line("Result", b.Text)
		w.files("Result", b.Items)
	}
	for _, in := range r.heard {
		w.line("Person", in.Message)
		w.files("Person", in.Items)
	}
	return w.String()
}

// middleOut is text without its middle where it is longer than n bytes.
func middleOut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	tail := text[len(text)-n/4:]
	for len(tail) > 0 && tail[0]&0xC0 == 0x80 {
		tail = tail[1:]
	}
	return cutText(text, n*3/4) + " […] " + tail
}

// longResult is the size in bytes from which a result that is left out is worth
// a line on how to see it again.
const longResult = 1 << 10

// keptResults lists the long results of rounds that are left out, the last ones,
// each with the way to see it again, in at most so many bytes.
func (t *running) keptResults(rounds []*round, most int) string {
	const head = "\n\nResults that were left out:"
	var lines []string
	most -= len(head)
	for _, r := range slices.Backward(rounds) {
		calls := map[string]string{}
		for _, c := range r.answer.Content {
			if c, ok := c.(model.ToolCall); ok {
				calls[c.ID] = c.Name + " " + middleOut(string(c.Input), digestOf)
			}
		}
		for _, b := range slices.Backward(r.results) {
			if len(b.Text) < longResult || most <= 0 {
				continue
			}
			line := fmt.Sprintf("\n- %s, %d bytes: %s", calls[b.ID], len(b.Text), t.retain(b.Name, b.Text))
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
