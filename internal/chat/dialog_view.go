package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/render"
)

// panel draws the question in at most height lines, and says where the cursor is
// when a note is being written.
func (d *dialog) panel(width, height int) (lines []string, cursor *tea.Cursor) {
	a := d.asks[0]
	head := d.look.Warn.Bold(true).Render("? " + d.look.Cut(headline(a, len(d.asks)), width-2))
	body := a.body(d.look, max(4, width-2))
	if a.rules != nil {
		body = d.alwaysBody(a, max(4, width-2))
	}
	foot := d.answers(a, width, false)
	if len(foot) > height/2 { // what is asked comes before the names of the keys
		foot = d.answers(a, width, true)
	}
	room := max(1, height-1-len(foot))
	a.top = max(0, min(a.top, len(body)-room))
	shown := body[a.top:min(len(body), a.top+room)]
	lines = append(lines, head)
	for i, s := range shown {
		if i == len(shown)-1 && a.top+room < len(body) {
			s = d.look.Faint.Render(d.look.Cut("… "+quantity.Count(len(body)-a.top-room+1, "more line", "more lines")+" (↓, PgDn)", width-2))
		}
		lines = append(lines, d.look.Warn.Render("│ ")+s)
	}
	lines = append(lines, foot...)
	if a.note != nil {
		cursor = a.note.Cursor()
		cursor.X, cursor.Y = cursor.X+2, len(lines)-1
	}
	return lines, cursor
}

// headline is the first line: who wants to do what.
func headline(a *ask, all int) string {
	who := cmp.Or(render.Line(a.Persona), "the agent")
	s := strings.TrimSpace(who + " wants to use " + render.Line(a.Name) + " " + a.effect.Manner())
	if all > 1 {
		s += fmt.Sprintf(" (1 of %d questions)", all)
	}
	return s
}

// body is everything that the call would do.
func (a *ask) body(l *render.Look, width int) []string {
	e := a.effect
	if a.note != nil && a.picking {
		return choosing(l, e.Choices(), width)
	}
	var lines []string
	row := func(label, text string) {
		if text != "" {
			lines = append(lines, labelled(l, label, render.Spread(render.Visible(text)), width)...)
		}
	}
	files := strings.Join(render.Files(e), ", ")
	about, named := strings.CutPrefix(e.Summary, e.Tool+" "+files)
	switch {
	case e.Command != "":
	case named && files != "":
		files += about // such as that it is new
	default:
		lines = append(lines, l.Fold(render.Spread(render.Visible(e.Summary)), width)...)
	}
	for i, part := range l.Fold(render.Spread(render.Visible(e.Command)), max(1, width-2)) {
		if e.Command == "" {
			break
		}
		sign := "$ "
		if i > 0 || e.Kind != permit.Execute {
			sign = "  "
		}
		lines = append(lines, l.Strong.Render(sign+part))
	}
	if e.Done != nil {
		label := "wrote"
		output := strings.Split(strings.TrimSpace(render.WithoutSequences(e.Done.Output)), "\n")
		for _, line := range output[max(0, len(output)-outputLines):] {
			row(label, render.Visible(line))
			label = ""
		}
	} else if e.Kind == permit.Execute {
		dir := e.Dir
		if dir == "" || dir == "." {
			dir = "the project"
		}
		row("in", dir)
	}
	row("files", files)
	for i, line := range render.GitLines(e) {
		row([]string{"git", ""}[min(i, 1)], line)
	}
	if e.Done != nil {
		row("also", e.Done.IgnoredLine())
	}
	for i, line := range render.Publication(e) {
		row([]string{"sends", ""}[min(i, 1)], line)
	}
	hosts := strings.Join(e.Hosts, ", ")
	if hosts == "" && e.Network && !e.Outside {
		hosts = "may reach the network"
	}
	row("net", hosts)
	row("opens", e.PortsLine())
	if e.Outside {
		row("note", "it runs as you, with your files, network and credentials")
		row("says", e.Why)
	}
	for _, text := range e.Automatic {
		row("note", text)
	}
	several := func(label string, sentences []string) {
		for _, text := range sentences[:min(len(sentences), outputLines)] {
			row(label, text)
		}
		if more := len(sentences) - outputLines; more > 0 {
			row("", "and "+quantity.Count(more, "more file", "more files"))
		}
	}
	several("mind", e.OnRequest)
	several("runs", e.Runs)
	if e.Opaque && e.Done == nil {
		row("note", "a part of this command is only known when it runs")
	}
	if e.Unconfined {
		row("note", "this machine cannot confine the command")
	}
	row("why", a.Reason)
	if a.Session {
		row("kind", e.KindOfCall())
	}
	if e.Diff != "" {
		lines = append(lines, render.WholeDiff(l, e.Diff, width, render.WholeLines, ": belay decision show "+a.DecisionID)...)
	}
	if e.Tool == "" && e.Diff == "" { // of another version: what there is
		row("input", string(a.Input))
	}
	return lines
}

// choosing numbers the files of which the person picks some.
func choosing(l *render.Look, all []string, width int) []string {
	lines := l.Fold("numbers, such as 1 3-4, a folder, or a pattern, such as *.go; the rest is dropped", width)
	for i, p := range all {
		lines = append(lines, labelled(l, fmt.Sprint(i+1), render.Spread(render.Visible(p)), width)...)
	}
	return lines
}

// outputLines is how many lines are shown of what a command wrote that has ended.
const outputLines = 6

// labelled is a row of the question.
func labelled(l *render.Look, label, text string, width int) []string {
	const column = 6
	var lines []string
	for i, part := range l.Fold(text, max(1, width-column)) {
		if i > 0 {
			label = ""
		}
		lines = append(lines, l.Faint.Render(fmt.Sprintf("%-*s", column, label))+part)
	}
	return lines
}

// answers are the keys, or the outcome of the one that was pressed; briefly without what
// they do, which /help says.
func (d *dialog) answers(a *ask, width int, briefly bool) []string {
	l := d.look
	bar := l.Warn.Render("│ ")
	var lines []string
	if a.failed != "" {
		for _, s := range l.Fold(render.Clean(a.failed), max(1, width-2)) {
			lines = append(lines, bar+l.Bad.Render(s))
		}
	}
	switch {
	case a.note != nil:
		a.note.SetWidth(max(1, width-3-l.Cells(a.note.Prompt)))
		return append(lines, bar+a.note.View())
	case a.sent:
		return append(lines, bar+l.Faint.Render("answered…"))
	case !d.answering:
		return append(lines, bar+l.Warn.Render(l.Cut("Tab answers it", width-2)))
	}
	keys := []string{"y allow", "s allow for the session", "n deny", "N deny and say why"}
	if !a.Session {
		keys = []string{"y allow", "n deny", "N deny and say why"}
	}
	if len(d.always(a)) > 0 {
		keys = slices.Insert(keys, 2, "a always: shows the rule first")
	}
	if a.rules != nil {
		return append(lines, bar+l.Cut(l.Strong.Render("Enter")+" writes it and allows the call"+l.Faint.Render(" · ")+l.Strong.Render("Esc")+" goes back", max(1, width-2)))
	}
	if len(a.effect.Choices()) > 0 {
		keys = slices.Insert(keys, 1, "o allow only some files")
	}
	if left := a.ExpiresAt.Sub(d.clock.now()); !briefly && !a.ExpiresAt.IsZero() && left > 0 && left < 2*time.Minute {
		keys = append(keys, quantity.Duration(left.Truncate(time.Second))+" left")
	}
	keys = append(keys, "Tab to the editor")
	row := ""
	for _, k := range keys {
		key, word, _ := strings.Cut(k, " ")
		if word = " " + word; briefly {
			word = ""
		}
		text := l.Cut(l.Strong.Render(key)+word, max(1, width-2))
		if row != "" && l.Cells(row)+3+l.Cells(text) > width-2 {
			lines = append(lines, bar+row)
			row = ""
		}
		if row != "" {
			row += l.Faint.Render(" · ")
		}
		row += text
	}
	return append(lines, bar+row)
}
