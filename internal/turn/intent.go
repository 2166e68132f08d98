package turn

import (
	"context"
	"slices"

	"belay/internal/session"
	"belay/internal/tool"
)

// intend puts on record what a call is about to change, durably, with the contents
// that this replaces. Should the process die before the call has its result, the
// next lease knows where to look ([changes.Files.Recover]).
func (t *agentRun) intend(ctx context.Context, made ...session.Change) error {
	made = slices.Clone(made)
	for i := range made {
		made[i].Call = tool.OriginOf(ctx).CallID
	}
	err := t.append(session.Entry{Kind: session.EntryIntent, Turn: t.id, Time: session.Time{Time: t.clock()}, Changes: made})
	if err != nil {
		return err
	}
	return t.lease.Commit(ctx)
}
