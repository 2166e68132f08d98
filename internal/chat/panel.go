package chat

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/permit"
)

// panel draws the question in at most height lines, and says where the cursor is
// when a note is being written.
func (m *Model) panel(height int) (lines []string, cursor *tea.Cursor) {
	a, width := m.asks[0], m.width
	head := m.look.warn.Bold(true).Render("? " + m.look.cut(headline(a, len(m.asks)), width-2))
	body := m.asking(a, max(4, width-2))
	foot := m.answers(a, width, false)
	if len(foot) > height/2 { // what is asked comes before the names of the keys
		foot = m.answers(a, width, true)
	}
	room := max(1, height-1-len(foot))
	a.top = max(0, min(a.top, len(body)-room))
	shown := body[a.top:min(len(body), a.top+room)]
	lines = append(lines, head)
	for i, s := range shown {
		if i == len(shown)-1 && a.top+room < len(body) {
			s = m.look.faint.Render(m.look.cut("… "+number(len(body)-a.top-room+1, "more line")+" (↓, PgDn)", width-2))
		}
		lines = append(lines, m.look.warn.Render("│ ")+s)
	}
	lines = append(lines, foot...)
	if a.note != nil {
		cursor = tea.NewCursor(2+m.look.cells(foot[len(foot)-1])-2-m.look.cells(a.note.text[a.note.at:]), len(lines)-1)
	}
	return lines, cursor
}

// headline is the first line: who wants to do what.
func headline(a *ask, all int) string {
	who := oneLine(a.Persona)
	if who == "" {
		who = "the agent"
	}
	s := who + " wants to use " + oneLine(a.Name)
	if all > 1 {
		s += fmt.Sprintf(" (1 of %d questions)", all)
	}
	return s
}

// asking is everything that the call would do.
func (m *Model) asking(a *ask, width int) []string {
	l, e := m.look, a.effect
	var lines []string
	row := func(label, text string) {
		if text != "" {
			lines = append(lines, labelled(l, label, spread(Visible(text)), width)...)
		}
	}
	files := strings.Join(Files(e), ", ")
	about, named := strings.CutPrefix(e.Summary, e.Tool+" "+files)
	switch {
	case e.Command != "":
	case named && files != "":
		files += about // such as that it is new
	default:
		lines = append(lines, l.fold(spread(Visible(e.Summary)), width)...)
	}
	for i, part := range l.fold(spread(Visible(e.Command)), max(1, width-2)) {
		if e.Command == "" {
			break
		}
		sign := "$ "
		if i > 0 {
			sign = "  "
		}
		lines = append(lines, l.strong.Render(sign+part))
	}
	if e.Done != nil {
		label := "wrote"
		output := strings.Split(strings.TrimSpace(e.Done.Output), "\n")
		for _, line := range output[max(0, len(output)-outputLines):] {
			row(label, Visible(line))
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
	for i, line := range GitLines(e) {
		row([]string{"git", ""}[min(i, 1)], line)
	}
	if e.Done != nil {
		row("also", e.Done.IgnoredLine())
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
			row("", "and "+number(more, "more file"))
		}
	}
	several("mind", e.OnRequest)
	several("runs", e.Runs)
	if e.Opaque && e.Done == nil {
		row("note", "a part of this command is only known when it runs")
	}
	if e.Unconfined {
		row("note", "this machine can not confine the command")
	}
	row("why", a.Reason)
	if a.Session {
		row("kind", e.KindOfCall())
	}
	if e.Diff != "" {
		lines = append(lines, whole(l, e.Diff, width, wholeLines, ": belay decision show "+a.DecisionID)...)
	}
	if e.Tool == "" && e.Diff == "" { // of another version: what there is
		row("input", string(a.Input))
	}
	return lines
}

// Files are the paths of a question that are no repositories: [GitLines] tells of those.
func Files(e permit.Effect) (paths []string) {
	for _, p := range e.Paths {
		if !slices.ContainsFunc(e.Repositories, func(r permit.Repository) bool { return r.Path == p }) {
			paths = append(paths, p)
		}
	}
	return paths
}

// GitLines say what a command did to repositories, each with its folder where it is not
// the project's own.
func GitLines(e permit.Effect) (lines []string) {
	for _, r := range e.Repositories {
		where := ""
		if dir := path.Dir(r.Path); dir != "." {
			where = dir + ": "
		}
		for _, does := range r.Does {
			lines = append(lines, where+does)
		}
	}
	return lines
}

// outputLines is how many lines are shown of what a command wrote that has ended.
const outputLines = 6

// labelled is a row of the question.
func labelled(l *look, label, text string, width int) []string {
	const column = 6
	var lines []string
	for i, part := range l.fold(text, max(1, width-column)) {
		if i > 0 {
			label = ""
		}
		lines = append(lines, l.faint.Render(fmt.Sprintf("%-*s", column, label))+part)
	}
	return lines
}

// answers are the keys, or what became of the one that was pressed; briefly without what
// they do, which /help says.
func (m *Model) answers(a *ask, width int, briefly bool) []string {
	l := m.look
	bar := l.warn.Render("│ ")
	var lines []string
	if a.failed != "" {
		for _, s := range l.fold(clean(a.failed), max(1, width-2)) {
			lines = append(lines, bar+l.bad.Render(s))
		}
	}
	switch {
	case a.note != nil:
		return append(lines, bar+l.strong.Render("why not? ")+l.wide.TruncateLeft(a.note.text, max(0, l.cells(a.note.text)-(width-14)), "…"))
	case a.sent:
		return append(lines, bar+l.faint.Render("answered…"))
	case !m.answering:
		return append(lines, bar+l.warn.Render(l.cut("Tab answers it", width-2)))
	}
	keys := []string{"y allow", "s allow for the session", "n deny", "N deny and say why"}
	if !a.Session {
		keys = []string{"y allow", "n deny", "N deny and say why"}
	}
	if left := a.ExpiresAt.Sub(m.o.Clock()); !briefly && !a.ExpiresAt.IsZero() && left > 0 && left < 2*time.Minute {
		keys = append(keys, shortly(left.Truncate(time.Second))+" left")
	}
	keys = append(keys, "Tab to the editor")
	row := ""
	for _, k := range keys {
		key, word, _ := strings.Cut(k, " ")
		if word = " " + word; briefly {
			word = ""
		}
		text := l.cut(l.strong.Render(key)+word, max(1, width-2))
		if row != "" && l.cells(row)+3+l.cells(text) > width-2 {
			lines = append(lines, bar+row)
			row = ""
		}
		if row != "" {
			row += l.faint.Render(" · ")
		}
		row += text
	}
	return append(lines, bar+row)
}
