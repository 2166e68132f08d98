package turn

import (
	"context"
	"slices"

	"belay/internal/persona"
	"belay/internal/tool"
)

// personas lists whom a turn can be sent to, and what it can be given.
type personas struct {
	root  *persona.Root
	tools *tool.Set
	more  ToolSource
}

var _ Personas = personas{}

// Personas implements [Personas].
func (p personas) Personas(context.Context) ([]persona.Summary, error) { return p.root.List() }

// Persona implements [Personas].
func (p personas) Persona(_ context.Context, name string) (persona.Persona, error) {
	return p.root.Persona(name)
}

// Tools implements [Personas].
func (p personas) Tools(context.Context) ([]string, error) {
	if p.more == nil {
		return p.tools.Names(), nil
	}
	return slices.Concat(p.tools.Names(), p.more.Names()), nil
}
