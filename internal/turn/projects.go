package turn

import (
	"context"

	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/workspace"
)

// projects says which folders may be projects, and which rules hold in each.
type projects struct {
	store *session.Store
	root  *persona.Root
	// private are belay's own folders, in which no project may be.
	private []string
	// rules hold where rulesFor is nil.
	rules    Rules
	rulesFor func(projectRoot string) (Rules, error)
}

func newProjects(o *Options) *projects {
	return &projects{o.Store, o.Root, o.Private, o.Rules, o.RulesFor}
}

// check applies the gate of contract 1.2, and returns the clean path.
func (p *projects) check(path string) (string, error) {
	return workspace.CheckRoot(path, p.root.Path(), p.private...)
}

// look is check for what only reads in the project.
func (p *projects) look(path string) (string, error) {
	return workspace.CheckReadable(path, p.root.Path(), p.private...)
}

// rulesOf are the rules of a project.
func (p *projects) rulesOf(projectRoot string) (Rules, error) {
	if p.rulesFor == nil {
		return p.rules, nil
	}
	return p.rulesFor(projectRoot)
}

// rootOf is the project of a session, or the one that is named where there is none, after
// the gate, which is check or look.
func (p *projects) rootOf(ctx context.Context, gate func(string) (string, error), sessionID, projectRoot string) (string, error) {
	if sessionID == "" {
		return gate(projectRoot)
	}
	rec, err := p.store.Get(ctx, sessionID)
	if err != nil {
		return "", err
	}
	return gate(rec.ProjectRoot)
}
