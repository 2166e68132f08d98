package discord

import (
	"fmt"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/composition"
	"belay/internal/discord/split"
	"belay/internal/render"
)

// How much of a question is shown, in characters where nothing else is said. All of it
// together fits into one embed.
const (
	maxCommand   = 500
	maxOutput    = 300
	maxShownDiff = 700
	maxFiles     = 7 // of a class
	maxNotes     = 8
	maxField     = 500
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

// commandFile is the name of the file that has the whole command.
const commandFile = "command.txt"

// command shows a command. A long one is in a file as well: its end counts as its beginning.
func (q *questionDetails) command(d contract.Decision) {
	text := render.Visible(d.Command)
	q.blocks = append(q.blocks, codeBlock("sh", cut(text, maxCommand)))
	if split.Length(text) <= maxCommand {
		return
	}
	q.attached = append(q.attached, attachedText{commandFile, text})
	if !d.CommandTruncated {
		q.blocks = append(q.blocks, "⚠️ This is the beginning. The attached file has the whole command.\n")
	}
}

func detailsOf(d contract.Decision) questionDetails {
	q := questionDetails{colour: blue}
	if d.Outside {
		q.colour = red
	}
	if d.Command != "" {
		q.command(d)
	}
	if d.Why != "" {
		q.blocks = append(q.blocks, fmt.Sprintf("The agent says: %s\n", cut(plain(d.Why), 200)))
	}
	if d.Output != "" {
		q.blocks = append(q.blocks, codeBlock("", tail(render.Visible(d.Output), maxOutput)))
	}
	q.field("Hosts", names(d.Hosts))
	q.field("To", cut(plain(d.Destination), 100))
	for _, class := range []struct {
		is   contract.Class
		word string
	}{
		{contract.ClassRunsByItself, "⚠️ **Runs by itself**"}, {contract.ClassRunsOnRequest, "Runs when you ask for it"},
		{contract.ClassOrdinary, "Files"}, {contract.ClassDropped, "🚫 **Never applied**"},
	} {
		list := ofClass(d.Files, class.is)
		q.field(class.word, names(list))
		if class.is == contract.ClassRunsByItself && len(list) > 0 {
			q.colour = red
		}
	}
	var notes []string
	if more := d.FileCount - len(d.Files); more > 0 {
		notes = append(notes, fmt.Sprintf("and %d more files", more))
	}
	for _, n := range d.Notes[:min(len(d.Notes), maxNotes)] {
		notes = append(notes, cut(plain(n), 150))
	}
	if d.DiffTruncated {
		notes = append(notes, "⚠️ The diff is not whole here. Look at all of it "+elsewhere(d)+".")
	}
	switch diff := render.Visible(d.Diff); {
	case diff == "":
	case split.Length(diff) <= maxShownDiff:
		q.diff = codeBlock("diff", diff)
	default:
		q.attached = append(q.attached, attachedText{"changes.diff", diff})
	}
	q.field("Also", strings.Join(notes, "\n"))
	return q
}

// field adds a field, unless there is nothing in it.
func (q *questionDetails) field(name, value string) {
	if value != "" {
		q.fields = append(q.fields, client.EmbedField{Name: name, Value: cut(value, maxField)})
	}
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
		fmt.Fprintf(b, "%s: %s\n", f.Name, cut(f.Value, 300))
	}
	b.WriteString(q.diff)
}

// ofClass are the files of a class.
func ofClass(files []contract.ChangedFile, class contract.Class) []string {
	var list []string
	for _, f := range files {
		if f.Class == class {
			list = append(list, f.Path)
		}
	}
	if more := len(list) - maxFiles; more > 0 {
		list = append(list[:maxFiles], fmt.Sprintf("and %d more", more))
	}
	return list
}

// names are shown as code, so that Discord does not look for anything in them.
func names(list []string) string {
	var all []string
	for _, n := range list {
		all = append(all, "`"+strings.ReplaceAll(composition.Name(render.Visible(n)), "`", "'")+"`")
	}
	return strings.Join(all, ", ")
}
