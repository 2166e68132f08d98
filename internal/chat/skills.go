package chat

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"belay/internal/render"
	"belay/internal/skill"
)

// loadCommands reads what a slash can begin, and says why files are no custom commands.
func loadCommands(m *Model) (problems []string) {
	named, problems := namedCommands(m.o.Commands)
	m.editor.commands = withSkills(named, skillsOf(&m.o).Skills)
	return problems
}

// namedCommands are the chat's own commands and the custom ones of a folder.
func namedCommands(folder string) (all []slash, problems []string) {
	custom, problems := customCommands(folder)
	return append(commands(), custom...), problems
}

// skillsOf are those of the project and of the person, as they are now.
func skillsOf(o *Options) skill.Catalog {
	if o.Skills == nil {
		return skill.Catalog{}
	}
	return o.Skills(o.Project)
}

// withSkills adds a command for each skill whose name no other command has.
func withSkills(named []slash, skills []skill.Skill) []slash {
	all := slices.Clone(named)
	for _, s := range skills {
		if !isNamed(named, s.Name) {
			all = append(all, slash{name: s.Name, takes: "[TEXT]", does: render.Glance(s.Description, titleColumns)})
		}
	}
	return all
}

// isNamed reports whether a name is that of a command, or another name of one.
func isNamed(all []slash, name string) bool {
	return otherNames[name] != "" || slices.ContainsFunc(all, func(c slash) bool { return c.name == name })
}

// callSkill is a message that has a skill used.
func callSkill(name, rest string) string {
	text := "Use the skill " + name + "."
	if rest != "" {
		text += "\n\n" + rest
	}
	return text
}

// showSkills lists the skills, and says what is left out. New ones get their commands.
func showSkills(m *Model, _ string) tea.Cmd {
	if m.o.Skills == nil {
		m.conversation.notify(noticeInfo, "the skills are those of the machine that runs the turns; belay skill list shows them there")
		return nil
	}
	named, problems := namedCommands(m.o.Commands)
	found := skillsOf(&m.o)
	m.editor.commands = withSkills(named, found.Skills)
	var rows [][2]string
	for _, s := range found.Skills {
		about := "of the project: " + s.Description
		if s.Own {
			about = "your own: " + s.Description
		}
		if isNamed(named, s.Name) {
			about += " (another command has its name: ask for the skill in a message)"
		}
		rows = append(rows, [2]string{"/" + s.Name, about})
	}
	if len(rows) == 0 {
		m.conversation.notify(noticeInfo, "there are no skills; docs/skills.md says how to make one")
	} else {
		m.conversation.add(&help{rows})
	}
	for _, p := range found.Problems {
		problems = append(problems, p.String())
	}
	for _, p := range problems {
		m.conversation.notify(noticeWarning, p)
	}
	return nil
}
