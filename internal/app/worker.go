package app

import (
	"context"
	"log/slog"
	"time"

	"belay/internal/worker"
)

// startWorker runs what surfaces ask for on the bus. A server whose bus does not
// give it requests goes without them, and says so.
func (a *App) startWorker(ctx context.Context, c *carrier, ready *readiness) {
	if c.bus == nil {
		return
	}
	w, err := worker.New(ctx, worker.Options{Bus: c.bus, Engine: a.engine(c), Logger: a.log, Clock: time.Now})
	if err != nil {
		ready.lacks(partBus, withoutWorker, err)
		return
	}
	c.worker = w
}

// withoutWorker is what a server goes without that cannot take requests.
const withoutWorker = "requests of surfaces on the event bus wait for the next start"

// drain takes no more requests from the bus.
func (c *carrier) drain() {
	if c.worker != nil {
		c.worker.Drain()
	}
}

// stopWorker publishes what is left to say about the requests that ran.
func (c *carrier) stopWorker(log *slog.Logger) {
	if c.worker == nil {
		return
	}
	closing, cancel := context.WithTimeout(context.Background(), busCloseTimeout)
	defer cancel()
	if err := c.worker.Close(closing); err != nil {
		log.Warn("the worker of the event bus did not end well", "reason", err)
	}
	c.worker = nil
}
