package tool

import "context"

// Gate keeps changes that belay makes in a project apart from each other, in whichever
// process: those of file tools, of commands when they are applied, and of people.
type Gate interface {
	// Enter waits until nobody else of belay changes the project. Nobody does until the
	// pass is left. A [*Refusal] says that it took too long.
	Enter(ctx context.Context, project string) (Pass, error)
}

// Pass is the right to change files of a project.
type Pass interface {
	// Leave gives the right back. It is called once.
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

// Leave implements [Pass].
func (Free) Leave() error { return nil }
