package agent

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/skill"
	"belay/internal/tool/skills"
)

// maxSkillWarnings is how many folders that are no skills a turn warns about one by one.
const maxSkillWarnings = 20

// AddSkills looks for skills and has the agent's model told of them. Where there are none, the
// tool that reads them is not offered; where it is not offered, nobody looks. Skills are part of
// the prompt as the project's notes are: a project that leaves those out has no skills either.
// It is called before Equip.
func (a *Run) AddSkills(projectRoot string) {
	s := &a.Settings
	if !slices.Contains(s.Tools.Names(), skills.Name) {
		return
	}
	if limit := min(s.NotesBytes, skill.MaxBlock); limit > 0 {
		found := skill.Folders{Config: a.OwnSkills, Project: projectRoot}.Find()
		var left []string
		s.skills, left = found.Block(int(limit))
		for i, p := range found.Problems {
			if i == maxSkillWarnings {
				s.Warn("SKILL", fmt.Sprintf("%d more folders are no skills; belay skill list says why", len(found.Problems)-i))
				break
			}
			s.Warn("SKILL", "this is no skill and was left out: "+p.String())
		}
		switch {
		case len(left) > 0:
			s.Warn("SKILLS_CUT", "there are too many skills to describe; the model learns only the names of "+strings.Join(left, ", "))
		case s.skills == "" && len(found.Skills) > 0:
			s.Warn("SKILLS_CUT", "turn.instructions_bytes leaves no room for skills; they were left out")
		}
	}
	if s.skills == "" {
		s.Tools = s.Tools.Only(func(name string) bool { return name != skills.Name })
	}
}

// prompt is the system prompt: the instructions and notes, and the list of skills where the
// agent has the tool that reads them.
func (a *Run) prompt() []string {
	if a.Settings.skills == "" || !slices.Contains(a.Tools.Names(), skills.Name) {
		return a.system
	}
	return append(a.system[:len(a.system):len(a.system)], a.Settings.skills)
}
