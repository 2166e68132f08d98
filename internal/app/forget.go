package app

import (
	"context"
	"time"

	"belay/internal/turn"
)

// forgetTimeout bounds how long the bus may take to drop a session's messages.
const forgetTimeout = 5 * time.Second

// forgetting is an engine whose deleted sessions leave the bus as well.
type forgetting struct {
	turn.Engine

	app     *App
	carrier *carrier
}

// Delete implements [turn.Engine]. A bus that cannot forget now does so at the
// next tidying; the session is gone all the same.
func (e forgetting) Delete(ctx context.Context, id string) error {
	if err := e.Engine.Delete(ctx, id); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetTimeout)
	defer cancel()
	if err := e.carrier.bus.Forget(ctx, id); err != nil {
		e.app.log.Warn("what was said in a deleted session stays on the bus for now", "session", id, "error", err)
	}
	return nil
}

// engine is the app's own, as a server with that carrier offers it to callers
// that it does not know.
func (a *App) engine(c *carrier) turn.Engine {
	var e turn.Engine = a.Engine
	if c.bus != nil {
		e = forgetting{Engine: e, app: a, carrier: c}
	}
	if roots := projectRoots(a.Config); roots != nil {
		e = confined{engine: e, listed: a.Store.Listed, find: a.Store.Catalog().FindIn, roots: roots}
	}
	return e
}

// forgetDeleted takes off the bus what other processes deleted.
func (a *App) forgetDeleted(ctx context.Context, c *carrier) error {
	if c.bus == nil {
		return nil
	}
	// First the bus, then the store: a session made in between is no stranger.
	on, err := c.bus.Sessions(ctx)
	if err != nil {
		return err
	}
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for _, id := range on {
		if known[id] {
			continue
		}
		if err := c.bus.Forget(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
