package turn

import (
	"context"

	"belay/internal/persona"
)

// Personas implements [Engine].
func (l *Local) Personas(context.Context) ([]persona.Summary, error) { return l.o.Root.List() }

// Persona implements [Engine].
func (l *Local) Persona(_ context.Context, name string) (persona.Persona, error) {
	return l.o.Root.Persona(name)
}
