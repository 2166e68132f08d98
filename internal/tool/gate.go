package tool

import (
	"context"

	"belay/internal/session"
)

// Gate keeps changes that belay makes in a project apart from each other, in whichever
// process: those of file tools, of commands when they are applied, and of people.
type Gate interface {
	// Enter waits until nobody else of belay changes the project. Nobody does until the
	// pass is left. A [*Refusal] says that it took too long.
	Enter(ctx context.Context, project string) (Pass, error)
}

// Pass is the right to change files of a project.
type Pass interface {
	// Tell is called with the changes that are made next. An error keeps them from being
	// made.
	Tell(changes ...session.Change) error
	Leave() error
}

// Open is the gate of a project that nobody else changes: nobody waits at it.
type Open struct{}

var _ Gate = Open{}

// Enter implements [Gate].
func (Open) Enter(context.Context, string) (Pass, error) { return Free{}, nil }

// Free is the pass of an open gate.
type Free struct{}

var _ Pass = Free{}

// Tell implements [Pass].
func (Free) Tell(...session.Change) error { return nil }

// Leave implements [Pass].
func (Free) Leave() error { return nil }
