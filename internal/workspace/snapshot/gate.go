package snapshot

import "context"

// Gate keeps what is published apart from what belay applies in the project at the same
// time for commands.
type Gate func(ctx context.Context, project string) (Pass, error)

// Pass is the right to publish in a project. While it is held nobody else of belay
// changes its files.
type Pass interface{ Leave() error }

// enter goes through the gate, where there is one.
func (g Gate) enter(ctx context.Context, project string) (Pass, error) {
	if g == nil {
		return free{}, nil
	}
	return g(ctx, project)
}

// free is the pass where there is no gate.
type free struct{}

func (free) Leave() error { return nil }
