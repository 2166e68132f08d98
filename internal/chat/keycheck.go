package chat

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// keyChecked is what a check of the provider's key found, "" for nothing wrong.
type keyChecked struct{ wrong string }

// checkKey looks, beside everything else, whether the provider takes the key.
func (c *calls) checkKey() tea.Cmd {
	if c.o.CheckKey == nil {
		return nil
	}
	return c.call(func(ctx context.Context) tea.Msg { return keyChecked{c.o.CheckKey(ctx)} })
}
