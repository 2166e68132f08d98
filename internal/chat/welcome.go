package chat

import (
	"cmp"

	"belay/internal/render"
)

// Welcome is what the first screen says of where messages go. Empty fields are left out.
type Welcome struct {
	// Provider answers, Model is the one that it is asked for.
	Provider, Model string
	// Key says in a line whether the provider's key is there.
	Key string
}

// welcome is the first screen of a chat in which nothing was said yet.
type welcome struct {
	help
	head string
}

func (w *welcome) draw(l *render.Look, width int) []string {
	return append([]string{l.Accent.Bold(true).Render(l.Cut(w.head, width))}, w.help.draw(l, width)...)
}

// suggestions are three things that one can do at once, whatever the project is.
func suggestions() [][2]string {
	return [][2]string{
		{"ask", "What is in this folder, and what is unfinished?"},
		{"show a file", "type @ and a part of its name, then your question"},
		{"be careful", "/mode plan only reads; Shift-Tab goes through the modes"},
	}
}

// welcome shows the first screen.
func (m *Model) welcome() {
	w := &welcome{head: "belay"}
	row := func(label, text string) {
		if text != "" {
			w.rows = append(w.rows, [2]string{label, render.Line(text)})
		}
	}
	row("provider", m.o.Welcome.Provider)
	row("key", m.o.Welcome.Key)
	row("model", cmp.Or(m.o.Opts.Model, m.o.Welcome.Model))
	row("folder", cmp.Or(m.o.Project, m.o.Folder))
	w.rows = append(append(w.rows, [2]string{}), suggestions()...)
	m.conversation.add(w)
}
