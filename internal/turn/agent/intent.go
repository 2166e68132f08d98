package agent

import (
	"context"
	"slices"

	"belay/internal/session"
	"belay/internal/tool"
)

// intend puts on record what a call is about to change, durably, with the contents
// that this replaces. Should the process die before the call has its result, the
// next lease knows where to look ([changes.Files.Recover]).
func (a *Run) intend(ctx context.Context, made ...session.Change) error {
	made = slices.Clone(made)
	for i := range made {
		made[i].Call = tool.OriginOf(ctx).CallID
	}
	err := a.append(session.Entry{Kind: session.EntryIntent, Turn: a.ID, Time: session.Time{Time: a.Clock()}, Changes: made})
	if err != nil {
		return err
	}
	return a.Lease.Commit(ctx)
}
