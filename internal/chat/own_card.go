package chat

import (
	"fmt"
	"strings"
	"time"

	"belay/internal/quantity"
	"belay/internal/render"
)

// ownCard is a command that the person ran, with the end of its output.
type ownCard struct {
	command string
	output  ownOutput
	live    liveOutput
	// at is its place in the conversation.
	at          int
	began       time.Time
	took        time.Duration
	code        int
	failed      string
	done, whole bool
	stopped     bool
}

// ownLines is how much of an output is shown when it is folded.
const ownLines = 12

func (*ownCard) snug()               {}
func (c *ownCard) unfold(whole bool) { c.whole = whole }

// refresh takes over what was written since, and reports whether there was anything.
func (c *ownCard) refresh() bool {
	d := c.output.next()
	if d.Text == "" {
		return false
	}
	c.live.write(&d)
	return true
}

func (c *ownCard) draw(l *render.Look, width int) []string {
	bar := l.Person.Render("! ")
	var lines []string
	for i, part := range l.Fold(render.Clean(c.command), max(1, width-2)) {
		if i > 0 {
			bar = "  "
		}
		lines = append(lines, bar+l.Strong.Render(part))
	}
	limit := ownLines
	if c.whole {
		limit = render.WholeLines
	}
	for _, s := range c.live.lines(l, max(4, width-2), limit) {
		lines = append(lines, "  "+s)
	}
	style, words := l.Faint, c.outcome()
	if c.failed != "" || c.code != 0 {
		style = l.Bad
	}
	return append(lines, l.Hang(style, "  ", words, width)...)
}

// outcome says how the command stands.
func (c *ownCard) outcome() string {
	var parts []string
	switch {
	case !c.done:
		return "runs as you, outside the sandbox; Ctrl-C stops it"
	case c.failed != "":
		parts = append(parts, render.Clean(c.failed))
	default:
		parts = append(parts, fmt.Sprintf("exit code %d", c.code))
	}
	if c.took > 0 {
		parts = append(parts, quantity.Duration(c.took))
	}
	return strings.Join(parts, " · ")
}

// words is what the model reads of the command.
func (c *ownCard) words() string {
	how := fmt.Sprintf("exit code %d", c.code)
	if c.failed != "" {
		how = c.failed
	}
	text, cut := strings.TrimRight(render.Tidy(render.WithoutSequences(c.live.text)), "\n "), c.live.cut
	if len(text) > maxOwnOutput {
		text, cut = strings.ToValidUTF8(text[len(text)-maxOwnOutput:], ""), true
	}
	switch {
	case text == "":
		return fmt.Sprintf("I ran a command in my own shell (%s). It wrote nothing:\n\n%s", how, fenced("$ "+c.command))
	case cut:
		how += "; only the end of its output follows"
	}
	return fmt.Sprintf("I ran a command in my own shell (%s):\n\n%s", how, fenced("$ "+c.command+"\n"+text))
}

// fenced is a text as a block of code that nothing in it ends.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// hints say what Enter does to a line that is a command, and which outputs go with the
// next message.
func (o *own) hints(l *render.Look, typed string, width int) []string {
	if _, ok := ownCommand(typed); ok {
		return []string{l.Warn.Render(l.Cut("! Enter runs it as you, outside the sandbox", width))}
	}
	if len(o.waiting) == 0 {
		return nil
	}
	var all []string
	for _, c := range o.waiting {
		all = append(all, "!"+render.Line(render.Glance(c.command, width)))
	}
	text := "+ output of " + strings.Join(all, ", ")
	const drop = " (/drop ! leaves it out)"
	if l.Cells(text)+len(drop) <= width {
		return []string{l.Accent.Render(text) + l.Faint.Render(drop)}
	}
	return []string{l.Accent.Render(l.Cut(text, width))}
}
