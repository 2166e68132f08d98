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
	if err != nil && !fault.Is(err, fault.Overloaded) && ctx.Err() == nil {
		err = fault.New(fault.StorageFailure, "the project could not be reserved for the change, so it was not made").Because(err)
	}
	return leave, err
}
