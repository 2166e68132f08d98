package cli

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"belay/internal/render"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

//go:embed transcript.html.tmpl
var transcriptTemplate string

// htmlTranscript is a conversation as one page, which loads nothing from anywhere.
type htmlTranscript struct {
	Title, About, Footer string
	Entries              []htmlEntry

	calls map[string]session.Block
}

// htmlEntry is a part of it: what a person said, an answer, results, or an end.
type htmlEntry struct {
	Head, Said string
	Answer     template.HTML
	Folds      []htmlFold
	Notes      []string
}

// htmlFold is a text that opens with a click.
type htmlFold struct {
	Label, Text string
	Failed      bool
}

// labelRoom is how much of a call its line shows, in columns.
const labelRoom = 100

// writeHTML writes the conversation of a session as a page to share. Nothing in it can run
// or load anything, whatever a model or a file wrote.
func writeHTML(w io.Writer, rec session.Record, entries []session.Entry, now time.Time) error {
	t, err := template.New("transcript").Parse(transcriptTemplate)
	if err != nil {
		return err
	}
	page := &htmlTranscript{
		Title:  titleOf(rec, entries),
		About:  fmt.Sprintf("%s, %s, session %s", rec.Persona, rec.CreatedAt.UTC().Format("2 January 2006"), rec.SessionID),
		Footer: "Written by belay on " + now.UTC().Format("2 January 2006") + ". Files that were attached or sent are named here and not part of the page.",
		calls:  map[string]session.Block{},
	}
	for _, e := range entries {
		page.add(e)
	}
	return t.Execute(w, page)
}

// titleOf is the session's title, or the first line of its first message.
func titleOf(rec session.Record, entries []session.Entry) string {
	const long = 80
	if rec.Title != "" {
		return line(rec.Title)
	}
	for _, e := range entries {
		if e.Kind == session.EntryTurn && strings.TrimSpace(e.Message) != "" {
			return clip(line(e.Message), long)
		}
	}
	return "A conversation"
}

// add appends what an entry shows of itself, if anything.
func (p *htmlTranscript) add(e session.Entry) {
	at := e.Time.UTC().Format("2006-01-02 15:04 UTC")
	var out htmlEntry
	switch {
	case e.Kind == session.EntryTurn, e.Kind == session.EntryInput, e.Kind == session.EntryReplaced:
		out = htmlEntry{Head: "Person, " + at, Said: clean(e.Message)}
		if e.Kind == session.EntryReplaced {
			out.Notes = append(out.Notes, "not passed on: a newer message replaced it")
		}
		for _, it := range e.Attachments {
			out.Notes = append(out.Notes, "attached "+line(describe(it)))
		}
	case e.Kind == session.EntryAssistant && e.Agent != agent.SummaryAgent:
		out = htmlEntry{Head: line(render.Model(e.Model)) + ofAgent(p.calls, e) + ", " + at}
		p.answer(&out, e)
	case e.Kind == session.EntryTools:
		p.results(&out, e)
	case e.Kind == session.EntryUndo:
		out.Notes = []string{fmt.Sprintf("the changes of a turn were taken back: %s", line(strings.Join(e.Paths, ", ")))}
	case e.Kind == session.EntryEnd:
		out.Notes = []string{endOf(e)}
	}
	if out.Said != "" || out.Answer != "" || len(out.Folds)+len(out.Notes) > 0 {
		p.Entries = append(p.Entries, out)
	}
}

func (p *htmlTranscript) answer(out *htmlEntry, e session.Entry) {
	for _, b := range e.Blocks {
		switch b.Type {
		case session.BlockText:
			out.Answer += template.HTML(render.HTML(clean(b.Text))) //nolint:gosec // HTML lets no markup through
		case session.BlockThinking:
			out.Folds = append(out.Folds, htmlFold{Label: "Reasoning", Text: clean(b.Text)})
		case session.BlockToolCall:
			p.calls[callKey(e.Agent, b.ID)] = b
		}
	}
	if e.Partial {
		out.Notes = append(out.Notes, "cut off here")
	}
}

func (p *htmlTranscript) results(out *htmlEntry, e session.Entry) {
	for _, b := range e.Blocks {
		call, known := p.calls[callKey(e.Agent, b.ID)]
		if !known {
			call = b
		}
		text := strings.TrimSpace(clean(render.WithoutSequences(b.Text)))
		fold := htmlFold{Label: about(call.Name, call.Input, labelRoom), Failed: b.Failed, Text: clean(string(call.Input)) + "\n\n" + text}
		if fold.Failed {
			fold.Label += " (failed)"
		}
		out.Folds = append(out.Folds, fold)
		for _, it := range b.Sent {
			out.Notes = append(out.Notes, "sent "+line(it.Name))
		}
	}
	for _, ch := range e.Changes {
		out.Notes = append(out.Notes, "changed "+line(ch.Path))
	}
}
