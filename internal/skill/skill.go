// Package skill reads Agent Skills (agentskills.io): folders of instructions, each for one
// kind of task. A skill is a folder NAME with a file SKILL.md, which begins with a block of
// YAML (name and description) and goes on with the instructions; further files lie beside it.
//
// Skills lie in two places. The person's own are in the folder skills beside their settings,
// those of a project in .agents/skills. [Folders.Find] lists both, [Catalog.Block] tells a
// model about them, and [Folders.Read] reads a file of one.
//
// Whoever wrote a project wrote its skills, so they are read as hostile input: names,
// descriptions and sizes are checked, no link is followed, and a description is one line. A
// skill permits nothing: the field allowed-tools has no effect.
package skill

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Limits of skills.
const (
	// MaxSkills is how many skills there are at most, those of the person first.
	MaxSkills = 64
	// MaxFile bounds a SKILL.md, in bytes.
	MaxFile = 64 << 10
	// MaxBlock bounds the text about all skills in a prompt, in bytes.
	MaxBlock = 16 << 10
	// maxHead bounds the block of YAML, maxEntries the entries of a folder of skills.
	maxHead    = 8 << 10
	maxEntries = 128
)

// fileName is the file that makes a folder a skill.
const fileName = "SKILL.md"

// Skill is a skill that can be used.
type Skill struct {
	// Name is that of its folder: small letters, digits and hyphens, at most 64.
	Name string `json:"name"`
	// Description says in one line what the skill is for, in 1 to 1024 characters.
	Description string `json:"description"`
	// License and Compatibility are what its author says, in one line; "" for nothing.
	License       string `json:"license,omitempty"`
	Compatibility string `json:"compatibility,omitempty"`
	// Own is set for a skill of the person's own.
	Own bool `json:"own"`
	// Path is its SKILL.md: relative to the project, with slashes, or an absolute path of a
	// skill of the person's own.
	Path string `json:"path"`
}

// Problem says why a folder, or a file in it, is no skill.
type Problem struct {
	// Path is written as in [Skill]; control characters in it are escaped.
	Path string `json:"path"`
	// Reasons are clauses, one at least.
	Reasons []string `json:"reasons"`
}

// String is the problem as a sentence.
func (p Problem) String() string { return p.Path + ": " + strings.Join(p.Reasons, "; ") }

// Catalog is what two folders of skills hold.
type Catalog struct {
	// Skills are those that can be used, by name.
	Skills []Skill
	// Hidden are skills of the project that are not used: the person has one of that name.
	Hidden []Skill
	// Problems are about all that is left out.
	Problems []Problem
}

// Named is the skill of a name.
func (c Catalog) Named(name string) (Skill, bool) {
	for _, s := range c.Skills {
		if s.Name == name {
			return s, true
		}
	}
	return Skill{}, false
}

// Folders are where skills lie. It is safe for concurrent use.
type Folders struct {
	// Config is the person's own folder for settings, Project the root of the project.
	// Both are absolute paths; "" has no skills.
	Config, Project string
}

// place is a folder of skills: the names of folders below a base. Links may lead to the base;
// below it none is followed.
type place struct {
	base  string
	below []string
	own   bool
}

func (f Folders) own() place     { return place{f.Config, []string{"skills"}, true} }
func (f Folders) project() place { return place{f.Project, []string{".agents", "skills"}, false} }

// of is the place that a skill lies in.
func (f Folders) of(s Skill) place {
	if s.Own {
		return f.own()
	}
	return f.project()
}

// path is how people read the path of something in the place.
func (p place) path(names ...string) string {
	names = append(p.below[:len(p.below):len(p.below)], names...)
	for i, name := range names {
		names[i] = printable(name)
	}
	if p.own {
		return filepath.Join(append([]string{p.base}, names...)...)
	}
	return path.Join(names...)
}

// printable is a name in one line: names of files may hold anything but a slash.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
