package tool

import (
	"context"

	"belay/internal/session"
)

// Gate keeps what belay itself changes in a project apart from what commands
// change, in whichever process they run.
type Gate interface {
	// Enter waits until nobody notes what a command finds or leaves in the project.
	// Nobody does, nor enters, until the pass is left. A [*Refusal] says that it
	// took too long.
	Enter(ctx context.Context, project string) (Pass, error)
}

// Pass is the right to change files of a project between looks at it.
type Pass interface {
	// Tell says, before they are made, which changes are not those of a command that
	// runs in the project.
	Tell(changes ...session.Change) error
	// Heard reports whether a command runs in the project now, to which Tell matters.
	Heard() bool
	Leave() error
}

// Open is the gate of a project in which no commands run: nobody waits at it.
type Open struct{}

var _ Gate = Open{}

// Enter implements [Gate].
func (Open) Enter(context.Context, string) (Pass, error) { return Free{}, nil }

// Free is the pass of an open gate.
type Free struct{}

var _ Pass = Free{}

// Tell implements [Pass].
func (Free) Tell(...session.Change) error { return nil }

// Heard implements [Pass].
func (Free) Heard() bool { return false }

// Leave implements [Pass].
func (Free) Leave() error { return nil }
