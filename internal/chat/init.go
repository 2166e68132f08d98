package chat

import (
	tea "charm.land/bubbletea/v2"
)

// initWish asks for the notes of a project. The text is the person's to change before it is sent.
const initWish = `Write the AGENTS.md of this project: what an agent has to know before it works here. If there is one, improve it and keep what is right.

Look at the files first. Write down what you found and could check, such as
- what the project is for, and how its folders are laid out;
- the commands that build, test and check it, also for a single test;
- the conventions that its files follow, where they are not the usual ones;
- what must not be changed, and what is easily got wrong.

Be brief: at most 60 lines, no advice that holds everywhere, nothing guessed.`

// initProject puts the request for the project's AGENTS.md into the editor, with what the person
// says about it. Enter sends it.
func initProject(m *Model, rest string) tea.Cmd {
	text := initWish
	if rest != "" {
		text += "\n\n" + rest
	}
	m.editor.give(text)
	return nil
}
