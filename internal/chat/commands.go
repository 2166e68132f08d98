package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"belay/internal/nearest"
	"belay/internal/render"
	"belay/internal/session"
)

// slash is a command of the chat itself, or with no run one that has the skill of its name used.
type slash struct {
	name, takes, does string
	run               func(m *Model, rest string) tea.Cmd
}

// commands are those that every chat has, in the order of the help.
func commands() []slash {
	return []slash{
		{"attach", "PATH", "send a file with the next message", attachFile},
		{"drop", "[PATH]", "take it back, or everything; /drop ! only outputs", dropFiles},
		{"mode", "[MODE]", "how much may be done without asking: " + strings.Join(modeNames(), ", "), setMode},
		{"model", "[NAME]", "the model of the next turns", setModel},
		{"persona", "[NAME]", "whom the next turns go to", setPersona},
		{"changes", "", "the files that this session has changed", showChanges},
		{"undo", "", "show what the last turn changed, and take it back", undoTurn},
		{"compact", "[WHAT]", "free the context: summarise all turns, and keep WHAT", compactSession},
		{"fork", "", "go on from an earlier turn, in a session of its own", forkSession},
		{"session", "[ID]", "go to another session, or pick one of this project", goToSession},
		{"new", "", "begin a new session", newSession},
		{"rename", "TITLE", "what lists call this session", renameSession},
		{"init", "[WHAT]", "ask for the AGENTS.md of this project; you see the message first", initProject},
		{"skills", "", "the skills that agents can use here; /NAME has one used", showSkills},
		{"status", "", "where one is, and what holds for the next turns", showStatus},
		{"copy", "", "put the last answer on the clipboard", copyAnswer},
		{"help", "", "this list", showHelp},
		{"quit", "", "leave", func(*Model, string) tea.Cmd { return tea.Quit }},
	}
}

// otherNames are what people type who know other programs.
var otherNames = map[string]string{
	"?": "help", "clear": "new", "exit": "quit", "q": "quit", "resume": "session", "sessions": "session", "diff": "changes", "agent": "persona",
	"summarize": "compact",
}

// command takes a text apart that begins with a slash and a word. A path such as
// /etc/hosts is none. Of several lines only those of all are commands that have a text for
// the agent after them.
func command(all []slash, text string) (name, rest string, ok bool) {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return "", "", false
	}
	name = line
	if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
		name, rest = line[:at], strings.TrimSpace(line[at:])
	}
	if name == "" || strings.ContainsAny(name, "/.") || strings.Contains(line, "\n") && !says(all, name) {
		return "", "", false
	}
	return name, rest, true
}

// says reports whether what follows a command is for the agent: a custom command, a skill,
// and some of the chat's own.
func says(all []slash, name string) bool {
	own := commands()
	if isNamed(own, name) {
		name = cmp.Or(otherNames[name], name)
		return slices.ContainsFunc(own, func(c slash) bool { return c.name == name && c.takes == "[WHAT]" })
	}
	return isNamed(all, name)
}

// run carries out a command. rest is what goes with it, typed the same without long pastes:
// what these name is no file of the person's.
func (m *Model) run(name, rest, typed string) tea.Cmd {
	if other := otherNames[name]; other != "" {
		name = other
	}
	var known []string
	for _, c := range m.editor.commands {
		switch {
		case c.name == name && c.run == nil:
			return m.speak(callSkill(name, rest), typed, session.Steer)
		case c.name == name:
			return c.run(m, rest)
		}
		known = append(known, c.name)
	}
	text := fmt.Sprintf("there is no command /%s; /help lists them", render.Line(name))
	if meant := nearest.Of(name, known); meant != "" {
		text = fmt.Sprintf("there is no command /%s; did you mean /%s?", render.Line(name), meant)
	}
	m.conversation.notify(noticeWarning, text)
	return nil
}

func setMode(m *Model, rest string) tea.Cmd {
	switch {
	case rest == "":
		pickMode(m)
	case !slices.Contains(modeNames(), rest):
		m.conversation.notify(noticeWarning, "the modes are "+strings.Join(modeNames(), ", "))
	default:
		m.chooseMode(rest)
	}
	return nil
}

func setModel(m *Model, rest string) tea.Cmd {
	if rest == "" {
		return pickModel(m)
	}
	m.o.Opts.Model, m.info.model = rest, rest
	m.conversation.notify(noticeInfo, "the next turns ask "+rest)
	return nil
}

// setPersona checks the name before anything is said to it.
func setPersona(m *Model, rest string) tea.Cmd {
	if rest == "" {
		return pickPersona(m)
	}
	return m.calls.call(func(ctx context.Context) tea.Msg {
		all, err := m.o.Engine.Personas(ctx)
		if err != nil {
			return reported{err: err}
		}
		var names []string
		for _, p := range all {
			if p.ID == rest {
				return personaChosen{rest}
			}
			names = append(names, p.ID)
		}
		list := &notice{kind: noticeInfo, text: "personas: " + strings.Join(names, ", ")}
		return reported{items: []item{&notice{kind: noticeWarning, text: "there is no persona " + rest}, list}}
	})
}

// personaChosen is the persona that the next turns go to.
type personaChosen struct{ to string }
