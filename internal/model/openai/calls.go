package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// calls puts the tool calls of one answer together, in the order in which they
// begin.
type calls struct{ all []*call }

// call is the received part of one tool call.
type call struct {
	index     *int64
	id, name  string
	arguments strings.Builder
	extra     string
}

// add takes in a fragment. By the protocol the first of a call has its id and
// name, later ones more of its arguments, and the index says to which call they
// belong. Calls of servers that give several of them the same index, or none, are told
// apart by their ids, and without those by a name: another one, or arguments of its
// own after some that are complete.
func (c *calls) add(f fragment) error {
	now := c.find(f)
	if now == nil {
		if len(c.all) == upstream.MaxCalls {
			return upstream.ErrTooManyCalls
		}
		now = &call{index: f.index}
		c.all = append(c.all, now)
	}
	now.id = cmp.Or(now.id, f.id)
	now.name = cmp.Or(now.name, f.name)
	now.extra = cmp.Or(now.extra, f.extra)
	now.arguments.WriteString(f.arguments)
	return nil
}

// find returns the call that f goes on with, or nil if it begins one.
func (c *calls) find(f fragment) *call {
	for i := len(c.all) - 1; i >= 0; i-- {
		open := c.all[i]
		if f.index != nil && (open.index == nil || *open.index != *f.index) {
			continue
		}
		switch {
		case f.id != "" && open.id != "" && f.id != open.id:
			continue
		case f.name != "" && open.name != "" && strings.TrimSpace(f.arguments) == "" && f.id != "" && f.id == open.id:
			return open // the id and the name once more
		case f.name != "" && open.name != "" && open.whole(f):
			return nil
		}
		return open
	}
	return nil
}

// whole reports whether a fragment with a name is of the next call.
func (c *call) whole(f fragment) bool {
	if c.arguments.Len() == 0 {
		return f.name != c.name
	}
	return json.Valid([]byte(c.arguments.String())) && (f.name != c.name || f.arguments != "")
}

// finish returns the calls of the named model. One without an id gets one: it is how the result
// finds the call.
func (c *calls) finish(name string, newID func() string) ([]model.ToolCall, error) {
	done := make([]model.ToolCall, 0, len(c.all))
	for _, open := range c.all {
		if open.name == "" {
			return nil, &upstream.ProtocolError{What: "a tool call of the answer has no name"}
		}
		if open.id == "" {
			open.id = newID()
		}
		done = append(done, model.ToolCall{
			ID: open.id, Name: open.name, Input: upstream.CallInput(open.arguments.String()), Signature: signed(name, open.extra),
		})
	}
	return done, nil
}
