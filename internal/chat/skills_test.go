package chat

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/skill"
	"belay/internal/turn"
)

// A skill is listed as a command, and its name has it used, unless another command has that name.
func TestSkills(t *testing.T) {
	t.Parallel()
	found := skill.Catalog{Skills: []skill.Skill{
		{Name: "check", Description: "the skill that checks"},
		{Name: "clear", Description: "a skill with an alias for its name"},
		{Name: "pdf-forms", Description: "fill forms of PDF files", Own: true},
		{Name: "undo", Description: "a skill with the name of a command"},
	}}
	folder := t.TempDir()
	custom(t, folder, "check.md", "Check $ARGUMENTS.")
	s := newStage(t, func(o *Options) {
		o.Commands = folder
		o.Skills = func(project string) skill.Catalog {
			if project != "/p" {
				t.Errorf("skills of %q", project)
			}
			return found
		}
	})
	s.send(tea.WindowSizeMsg{Width: 120, Height: 60})
	s.press("/pd")
	s.shows("› /pdf-forms [TEXT]", "fill forms of PDF files")
	s.press("ctrl+c", "/undo")
	s.lacks("a skill with the name of a command")
	s.press("ctrl+c")
	s.say("/skills")
	s.shows("/pdf-forms", "your own: fill forms of PDF files", "of the project: the skill that checks (another command has its name",
		"a skill with an alias for its name (another command has its name")
	s.say("/check it") // the person's own command
	s.shows("› Check it.")
	s.press("ctrl+c")
	s.say("/pdf-forms fill in a.pdf")
	s.sent(turn.Request{SessionID: "sess_1", Message: "Use the skill pdf-forms.\n\nfill in a.pdf"})

	found.Skills = append(found.Skills, skill.Skill{Name: "new-one", Description: "it was made meanwhile"})
	found.Problems = []skill.Problem{{Path: ".agents/skills/x", Reasons: []string{"name is missing", "description is missing"}}}
	s.say("/skills")
	s.shows("it was made meanwhile", ".agents/skills/x: name is missing; description is missing")
	s.press("/new-o")
	s.shows("› /new-one [TEXT]")
	s.fits()
}

// Without skills the chat says so, and with turns elsewhere it says where they are.
func TestNoSkills(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) { o.Skills = func(string) skill.Catalog { return skill.Catalog{} } })
	s.say("/skills")
	s.shows("there are no skills; docs/skills.md says how to make one")
	s = newStage(t)
	s.say("/skills")
	s.shows("belay skill list shows them there")
}
