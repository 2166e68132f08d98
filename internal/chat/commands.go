package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/permit"
	"belay/internal/session"
)

// slash is a command of the chat itself.
type slash struct {
	name, takes, does string
	run               func(m *Model, rest string) tea.Cmd
}

var modes = []string{string(permit.Direct), string(permit.AcceptEdits), string(permit.DontAsk), string(permit.Plan)}

// commands are all of them, in the order of the help.
func commands() []slash {
	return []slash{
		{"attach", "PATH", "send a file with the next message", (*Model).attach},
		{"drop", "[PATH]", "do not send it after all, or any of them", (*Model).drop},
		{"mode", "MODE", "how much may be done without asking: " + strings.Join(modes, ", "), (*Model).setMode},
		{"model", "NAME", "the model of the next turns", (*Model).setModel},
		{"persona", "NAME", "whom the next turns go to", (*Model).setPersona},
		{"changes", "", "the files that this session has changed", (*Model).changes},
		{"undo", "", "take back the files of the last turn that changed any", (*Model).undo},
		{"sessions", "", "the sessions of this project", (*Model).sessions},
		{"help", "", "this list", (*Model).help},
		{"quit", "", "leave", func(*Model, string) tea.Cmd { return tea.Quit }},
	}
}

// command takes a line apart that begins with a slash and a word. A path such as
// /etc/hosts is none.
func command(text string) (name, rest string, ok bool) {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok || strings.Contains(line, "\n") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(line, " ")
	if name == "" || strings.ContainsAny(name, "/.") {
		return "", "", false
	}
	return name, strings.TrimSpace(rest), true
}

// run carries out a command.
func (m *Model) run(name, rest string) tea.Cmd {
	for _, c := range commands() {
		if c.name == name {
			return c.run(m, rest)
		}
	}
	m.tell(warns, fmt.Sprintf("there is no command /%s; /help lists them", oneLine(name)))
	return nil
}

func (m *Model) setMode(rest string) tea.Cmd {
	if !slices.Contains(modes, rest) {
		m.tell(warns, "the modes are "+strings.Join(modes, ", "))
		return nil
	}
	m.o.Opts.Mode, m.mode = rest, rest
	m.tell(tells, "the next turns run in mode "+rest)
	return nil
}

func (m *Model) setModel(rest string) tea.Cmd {
	if rest == "" {
		m.tell(warns, "name a model: /model NAME")
		return nil
	}
	m.o.Opts.Model, m.model = rest, rest
	m.tell(tells, "the next turns ask "+rest)
	return nil
}

func (m *Model) setPersona(rest string) tea.Cmd {
	if rest == "" {
		return m.call(func(ctx context.Context) tea.Msg {
			all, err := m.o.Engine.Personas(ctx)
			var names []string
			for _, p := range all {
				names = append(names, p.ID)
			}
			return reported{items: []item{&notice{kind: tells, text: "personas: " + strings.Join(names, ", ")}}, err: err}
		})
	}
	m.o.Opts.Persona, m.persona = rest, rest
	m.tell(tells, "the next turns go to "+rest)
	return nil
}

// shownSessions is how many /sessions lists.
const shownSessions = 10

func (m *Model) sessions(string) tea.Cmd {
	now, own := m.o.Clock(), m.session
	return m.call(func(ctx context.Context) tea.Msg {
		all, err := m.o.Engine.List(ctx, m.o.Project)
		if err != nil {
			return reported{err: err}
		}
		slices.SortFunc(all, func(a, b session.Record) int { return b.UpdatedAt.Compare(a.UpdatedAt.Time) })
		var b strings.Builder
		for _, r := range all[:min(len(all), shownSessions)] {
			mark := " "
			if r.SessionID == own {
				mark = "*"
			}
			fmt.Fprintf(&b, "%s %s  %s ago  %s\n", mark, r.SessionID, shortly(now.Sub(r.UpdatedAt.Time).Truncate(time.Second)), r.Persona)
		}
		b.WriteString("  belay chat --session ID goes on with one")
		return reported{items: []item{&verbatim{clean(b.String())}}}
	})
}
