package chat

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
)

// meter says how much of the model's context the conversation fills.
type meter struct {
	// used is what the last call of the agent took, in and out; size is what the model
	// takes, 0 where that is not known.
	used, size int64
	// model is the one that answers, asked the one whose size was asked for.
	model, asked string
	// helpers is how many subagents are at work: their calls have a context of their own.
	helpers int
}

// measured is the size of a model's context, 0 where nobody knows it.
type measured struct {
	model string
	size  int64
}

func (t *meter) begin(model string) { t.model, t.helpers = model, 0 }

// delegated is a subagent that begins or ends.
func (t *meter) delegated(begins bool) {
	if begins {
		t.helpers++
	} else {
		t.helpers = max(0, t.helpers-1)
	}
}

// called is a call of a model.
func (t *meter) called(u event.Tokens) {
	if t.helpers == 0 {
		t.used = u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
	}
}

// compacted is the size of the conversation after a compaction, 0 for none.
func (t *meter) compacted(tokens int64) {
	if tokens > 0 {
		t.used = tokens
	}
}

// lookup is the job that finds the size of the model's context, nil where that was done.
func (t *meter) lookup(c *calls) tea.Cmd {
	if t.model == t.asked || c.o.Models == nil {
		return nil
	}
	t.asked = t.model
	name := t.model
	return c.call(func(ctx context.Context) tea.Msg {
		all, err := c.o.Models(ctx)
		if err != nil {
			return nil // the meter is not shown
		}
		for _, one := range all {
			if one.ID == name {
				return measured{name, one.Context}
			}
		}
		return measured{model: name}
	})
}

func (t *meter) measured(msg measured) {
	if msg.model == t.model {
		t.size = msg.size
	}
}

// String is the meter for the last line of the window, "" while nothing is known.
func (t meter) String() string {
	if t.used == 0 || t.size == 0 {
		return ""
	}
	return fmt.Sprintf("context %d%%", t.used*100/t.size)
}

// words say it at length.
func (t meter) words() string {
	if t.used == 0 || t.size == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s tokens of the model's context", count(t.used), count(t.size))
}
