package workspace

import (
	"context"

	"belay/internal/fault"
)

// Gate keeps what belay itself writes in a project, for people and agents, apart from
// what it applies there at the same time for commands. The caller leaves when it has
// written, or has not after all. An error forbids the write. A nil Gate is open.
type Gate func(ctx context.Context, project string) (leave func(), err error)

// Enter goes through the gate. It fails with OVERLOADED or STORAGE_FAILURE.
func (g Gate) Enter(ctx context.Context, project string) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	leave, err = g(ctx, project)
	if err != nil && !fault.Is(err, fault.Overloaded) {
		err = fault.New(fault.StorageFailure, "the change could not be announced to commands that run, so it was not made").Because(err)
	}
	return leave, err
}
