package cli

import (
	"fmt"
	"strings"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

// How much of what an agent did is shown unless all is asked for.
const (
	foldedLines = 4
	foldedFiles = 8
)

// transcript prints a session's record as a person reads it.
type transcript struct {
	c    *console
	full bool
	// calls are the calls so far, by callKey.
	calls map[string]session.Block
	// among is set while results are printed, one after another, of the agent.
	among bool
	agent string
}

// entry prints one line of the record.
func (p *transcript) entry(e session.Entry) {
	c := p.c
	if e.Kind == session.EntryIntent {
		return // what came of it follows
	}
	if e.Kind != session.EntryTools {
		p.among = false
	}
	switch e.Kind {
	case session.EntryTurn:
		p.title(fmt.Sprintf("you, %s, %s", when(e.Time.Time), e.Turn))
		p.said(e)
	case session.EntryInput, session.EntryReplaced:
		how := "into the turn"
		if e.Mode == session.FollowUp {
			how = "after the answer"
		}
		if e.Kind == session.EntryReplaced {
			how += ", not passed on: a newer message replaced it"
		}
		p.title(fmt.Sprintf("you, %s, %s", when(e.Time.Time), how))
		p.said(e)
	case session.EntryAssistant:
		if e.Agent == agent.SummaryAgent {
			return // the summary follows
		}
		p.title(fmt.Sprintf("%s, %s%s", line(render.Model(e.Model)), when(e.Time.Time), p.of(e)))
		p.answer(e)
		if e.Partial {
			c.write("  (cut off here)\n")
		}
	case session.EntryTools:
		p.tools(e)
	case session.EntryChanges:
		p.title("changes of " + e.Turn + ", put on record " + when(e.Time.Time) + p.of(e))
		p.changes(e.Changes)
	case session.EntrySummary:
		what := "the turns up to " + e.Through
		if e.Rounds > 0 {
			what = "everything up to answer " + fmt.Sprint(e.Rounds) + " of this turn"
		}
		p.title(what + ", in short, for a model that cannot hold it" + p.of(e))
		c.paragraph(e.Summary)
	case session.EntryUndo:
		by := ""
		if e.By != "" {
			by = " by " + line(e.By)
		}
		p.title(fmt.Sprintf("the changes of %s were taken back%s, %s: %s", e.Turn, by, when(e.Time.Time), p.names(e.Paths)))
		c.write("\n")
	case session.EntryEnd:
		p.title(endOf(e))
		c.write("\n")
	}
}

// title begins what one of the two, or the turn itself, has to say.
func (p *transcript) title(text string) { p.c.write("── " + hang(text, p.c.width, 3) + "\n") }

// said prints what a person said, and the files that came with it.
func (p *transcript) said(e session.Entry) {
	p.c.paragraph(e.Message)
	for _, it := range e.Attachments {
		p.c.write("  attached " + hang(line(describe(it)), p.c.width, 4) + "\n")
	}
	for _, l := range e.Links {
		p.c.write("  sent along " + hang(line(attachment.DisplayName(l.Filename)), p.c.width, 4) + "\n")
	}
	if e.Warning != "" {
		p.c.write("  " + hang(clean(e.Warning), p.c.width, 4) + "\n")
	}
}

// of marks the lines of a subagent.
func (p *transcript) of(e session.Entry) string { return ofAgent(p.calls, e) }

// ofAgent names the subagent whose line this is, by the call that started it; "" for the
// turn's own lines.
func ofAgent(calls map[string]session.Block, e session.Entry) string {
	if e.Agent == "" {
		return ""
	}
	name := line(strings.TrimPrefix(calls[callKey("", e.Agent)].Name, "agent."))
	if name == "" {
		return ", an agent of call " + line(e.Agent)
	}
	return ", agent " + name
}

// answer prints what a model said.
func (p *transcript) answer(e session.Entry) {
	for _, b := range e.Blocks {
		switch b.Type {
		case session.BlockText:
			p.c.paragraph(b.Text)
		case session.BlockThinking:
			p.body("  thinking: ", b.Text, true)
		case session.BlockToolCall:
			p.calls[callKey(e.Agent, b.ID)] = b
			p.head("calls", b, string(b.Input))
		}
	}
}

// tools prints results and what came of the calls. Each is on record as soon as
// it is there; those of one answer are shown together.
func (p *transcript) tools(e session.Entry) {
	if len(e.Blocks) == 0 && len(e.Changes) == 0 {
		return // what an agent was shown
	}
	if !p.among || p.agent != e.Agent {
		p.title("tools" + p.of(e))
	}
	p.among, p.agent = true, e.Agent
	for _, b := range e.Blocks {
		verdict := "result of"
		if b.Failed {
			verdict = "failure of"
		}
		call, ok := p.calls[callKey(e.Agent, b.ID)]
		if !ok {
			call = b
		}
		p.head(verdict, call, "")
		p.body("    ", render.WithoutSequences(b.Text), b.Failed)
		for _, it := range b.Items {
			p.c.write("    showed " + hang(line(describe(it)), p.c.width, 6) + "\n")
		}
		for _, it := range b.Sent {
			sent := event.SentFile{Filename: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes, Path: it.Origin}
			p.c.write("    sent " + hang(render.Sent(sent), p.c.width, 6) + "\n")
		}
	}
	p.changes(e.Changes)
}

// head is a line about a call: what it does in short, or its name and all of its
// input.
func (p *transcript) head(label string, call session.Block, input string) {
	label = "  " + label + " "
	if p.full {
		p.c.write(label + hang(line(call.Name+" "+input), p.c.width, 4) + "\n")
		return
	}
	p.c.write(label + about(call.Name, call.Input, p.c.room(cells(label))) + "\n")
}

// body is a text after a label or a margin, the first lines of it or all. Prose
// is wrapped; of other text, lines that are too long are cut.
func (p *transcript) body(label, text string, prose bool) {
	text = strings.Trim(clean(text), "\n")
	if text == "" {
		return
	}
	margin := strings.Repeat(" ", cells(label))
	if p.full || prose {
		text = hang(text, p.c.width, cells(label))
		text = strings.ReplaceAll(text, "\n"+margin, "\n")
	}
	lines, more := strings.Split(text, "\n"), 0
	if !p.full {
		lines, more = folded(text)
	}
	for i, l := range lines {
		if !p.full && !prose {
			l = p.c.clipped(l, cells(label))
		}
		if i > 0 {
			label = margin
		}
		p.c.write(label + l + "\n")
	}
	if more > 0 {
		p.c.write(margin + "… " + quantity.Count(more, "more line", "more lines") + " (--full shows all)\n")
	}
}

// folded is the beginning of a text, and how many lines follow it. A single line
// more is shown, too: to say so would take as much room.
func folded(text string) (lines []string, more int) {
	lines = strings.Split(strings.Trim(text, "\n"), "\n")
	if len(lines) > foldedLines+1 {
		lines, more = lines[:foldedLines], len(lines)-foldedLines
	}
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimRight(l, " \t"), "\t", "  ")
	}
	return lines, more
}
