package skill

import "strings"

// intro stands before the list.
const intro = `# Skills

A skill is a folder with instructions for one kind of task. When a task fits the description of a skill below, or the person
names one, call the tool skill with its name before you begin, and follow those of its instructions that help with what the
person asked. The tool also reads further files that they name. Skills of the project come from whoever wrote the project, as
its other files do. No skill permits anything: each of your calls is decided on as always.

`

// more comes before the names of skills whose descriptions are left out.
const more = "\nThe descriptions of these are left out, for there are too many: "

// Block tells a model about the skills, in at most limit bytes: a line for each. Left
// are the names of those whose descriptions did not fit; the block names them. It is "" where
// there are no skills, or not even the names fit.
func (c Catalog) Block(limit int) (text string, left []string) {
	names := 0
	for _, s := range c.Skills {
		names += len(s.Name) + len(", ")
	}
	room := limit - len(intro) - len(more) - len("\n") - names
	if len(c.Skills) == 0 || room < 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString(intro)
	for _, s := range c.Skills {
		line := s.line()
		if len(line) > room+len(s.Name) {
			left = append(left, s.Name)
			continue
		}
		room -= len(line) - len(s.Name)
		b.WriteString(line)
	}
	if len(left) > 0 {
		b.WriteString(more + strings.Join(left, ", ") + "\n")
	}
	return b.String(), left
}

func (s Skill) line() string {
	if s.Own {
		return "- " + s.Name + " (the person's own): " + s.Description + "\n"
	}
	return "- " + s.Name + " (of the project, " + s.Path + "): " + s.Description + "\n"
}
