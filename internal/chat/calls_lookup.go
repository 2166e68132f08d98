package chat

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"belay/internal/session"
)

// find asks for the words with which a turn began that is not ours.
func (c *calls) find(id, turnID string) tea.Cmd {
	return c.call(func(ctx context.Context) tea.Msg {
		entries, err := c.o.Engine.Transcript(ctx, id)
		if err != nil {
			return reported{err: err}
		}
		for _, e := range entries {
			if e.Kind == session.EntryTurn && e.Turn == turnID {
				return found{turn: turnID, what: *written(e, "from elsewhere")}
			}
		}
		return nil
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
