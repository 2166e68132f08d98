package turn

import (
	"belay/internal/persona"
	"belay/internal/workspace"
)

// projects says which folders may be projects, and which rules hold in each.
type projects struct {
	root *persona.Root
	// private are belay's own folders, in which no project may be.
	private []string
	// rules hold where rulesFor is nil.
	rules    Rules
	rulesFor func(projectRoot string) (Rules, error)
}

func newProjects(o *Options) *projects {
	return &projects{o.Root, o.Private, o.Rules, o.RulesFor}
}

// check applies the gate of contract 1.2, and returns the clean path.
func (p *projects) check(path string) (string, error) {
	return workspace.CheckRoot(path, p.root.Path(), p.private...)
}

// rulesOf are the rules of a project.
func (p *projects) rulesOf(projectRoot string) (Rules, error) {
	if p.rulesFor == nil {
		return p.rules, nil
	}
	return p.rulesFor(projectRoot)
}
