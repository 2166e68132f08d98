package chat

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"belay/internal/session"
)

// find asks for the words with which a turn began, and the key that they came with.
func (c *calls) find(id, turnID string) tea.Cmd {
	return c.call(func(ctx context.Context) tea.Msg {
		entries, err := c.o.Engine.Transcript(ctx, id)
		for _, e := range entries {
			if e.Kind != session.EntryTurn || e.Turn != turnID {
				continue
			}
			what := written(e, "from elsewhere")
			if e.Idempotency != nil {
				what.key = e.Idempotency.Key
			}
			return found{turn: turnID, what: what}
		}
		return found{turn: turnID, err: err}
	})
}

// inspect asks what would become of a file. An upload is checked when it is sent.
func (c *calls) inspect(id, path, at string) tea.Cmd {
	if c.o.Upload != nil {
		return nil
	}
	r := c.o.inspection(id, at)
	return c.call(func(ctx context.Context) tea.Msg {
		all, err := c.o.Engine.Inspect(ctx, r)
		if err != nil || len(all) != 1 {
			return inspected{path: path, err: err}
		}
		return inspected{path: path, is: all[0]}
	})
}
