package discord

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/split"
	"belay/internal/render"
)

// How much of a question is shown, in characters. All of it together fits into one embed.
const (
	maxSummary   = 300 // of a host it has all
	maxCommand   = 500
	maxOutput    = 300
	maxShownDiff = 700
)

// Colours of embeds.
const (
	blue = 0x3498db
	red  = 0xe74c3c // something runs by itself, or outside the sandbox
)

// questionDetails are what only some may see of a question.
type questionDetails struct {
	blocks []string // code, and what the agent says
	fields []client.EmbedField
	diff   string // a code block
	colour int
	// attached are texts that are too long to be shown.
	attached []attachedText
}

// attachedText is a text that goes with a question as a file.
type attachedText struct{ name, text string }

// command shows a command. A long one is in a file as well: its end counts as its beginning.
func (q *questionDetails) command(d contract.Decision, attach bool) {
	text := render.Visible(d.Command)
	q.blocks = append(q.blocks, codeBlock("sh", cut(text, maxCommand)))
	if split.Length(text) <= maxCommand {
		return
	}
	q.attached = append(q.attached, attachedText{"command.txt", text})
	if attach && !d.CommandTruncated {
		q.blocks = append(q.blocks, "⚠️ This is the beginning. The attached file has the whole command.\n")
	}
}

// detailsOf are the details of a question. Attach says that files can go with it.
func detailsOf(d contract.Decision, attach bool) questionDetails {
	q := questionDetails{colour: blue}
	if d.Outside {
		q.colour = red
	}
	if d.Command != "" {
		q.command(d, attach)
	}
	all := listsOf(d)
	if !all.whole {
		q.attached = append(q.attached, attachedText{"files.txt", all.text})
		if attach {
			q.blocks = append(q.blocks, "⚠️ The attached files.txt has all of what is listed below.\n")
		}
	}
	if d.Why != "" {
		q.blocks = append(q.blocks, fmt.Sprintf("The agent says: %s\n", cut(plain(d.Why), 200)))
	}
	if d.Output != "" {
		q.blocks = append(q.blocks, codeBlock("", tail(render.Visible(d.Output), maxOutput)))
	}
	q.fields = all.fields
	if slices.ContainsFunc(d.Files, func(f contract.ChangedFile) bool { return f.Class == contract.ClassRunsByItself }) {
		q.colour = red
	}
	switch diff := render.Visible(d.Diff); {
	case diff == "":
	case split.Length(diff) <= maxShownDiff:
		q.diff = codeBlock("diff", diff)
	default:
		q.attached = append(q.attached, attachedText{"changes.diff", diff})
	}
	return q
}

// embed shows the details in a box; it is nil where there are none.
func (q *questionDetails) embed() *client.Embed {
	e := client.Embed{Colour: q.colour, Description: strings.TrimSpace(strings.Join(q.blocks, "") + q.diff), Fields: q.fields}
	if e.Description == "" && len(e.Fields) == 0 {
		return nil
	}
	return &e
}

// write adds the details to a text.
func (q *questionDetails) write(b *strings.Builder) {
	for _, text := range q.blocks {
		b.WriteString(text)
	}
	for _, f := range q.fields {
		fmt.Fprintf(b, "%s: %s\n", f.Name, f.Value)
	}
	b.WriteString(q.diff)
}
