package worker

import (
	"context"
	"sync"

	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// creations remembers the sessions that were made for requests: a surface whose reply came too
// late asks again, and gets the same one. The zero value is ready.
type creations struct {
	mu    sync.Mutex
	all   map[creationKey]*creation
	order []creationKey // the oldest first
}

// maxCreations bounds them. A surface asks again within minutes.
const maxCreations = 1000

// creationKey is a request that needs a session, and for what.
type creationKey struct{ client, request, project, persona, mode string }

// creation is the session of a request.
type creation struct {
	turn    chan struct{} // has room for the one that makes it
	session string        // its id, "" until it is made
}

func newCreation() *creation { return &creation{turn: make(chan struct{}, 1)} }

// of returns the creation of a key.
func (c *creations) of(key creationKey) *creation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.all[key]; one != nil {
		return one
	}
	if c.all == nil {
		c.all = map[creationKey]*creation{}
	}
	if len(c.order) == maxCreations {
		delete(c.all, c.order[0])
		c.order = c.order[1:]
	}
	c.all[key], c.order = newCreation(), append(c.order, key)
	return c.all[key]
}

// create makes a session: one for a request, however often it is asked for.
func (w *Worker) create(ctx context.Context, e contract.Envelope, p *contract.SessionCreate) (session.Record, error) {
	one := newCreation()
	if e.Request != "" {
		one = w.made.of(creationKey{e.Client, e.Request, p.ProjectRoot, p.Persona, p.Mode})
	}
	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return session.Record{}, context.Cause(ctx)
	}
	if one.session != "" {
		rec, err := w.o.Engine.Get(ctx, one.session)
		if !fault.Is(err, fault.SessionNotFound) {
			return rec, err
		}
	}
	rec, err := w.o.Engine.Create(ctx, turn.CreateRequest{ProjectRoot: p.ProjectRoot, Persona: p.Persona, Mode: p.Mode})
	if err == nil {
		one.session = rec.SessionID
	}
	return rec, err
}
