package chat

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"belay/internal/turn"
)

// calls are the calls of the engine, each a goroutine of its own, and the open readers
// of logs, which one call hands to the next. Once they have ended no new one begins.
type calls struct {
	o *Options
	// ctx ends them.
	ctx     context.Context
	running sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	streams map[turn.Stream]bool
}

// run runs f beside the model until the chat ends.
func (c *calls) run(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !c.begin() {
			return nil
		}
		defer c.running.Done()
		return f(c.ctx)
	}
}

// call is run with a deadline.
func (c *calls) call(f func(ctx context.Context) tea.Msg) tea.Cmd {
	return c.run(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		return f(ctx)
	})
}

// begin reports whether a call may still begin; then it calls running.Done at its
// end.
func (c *calls) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.running.Add(1)
	}
	return !c.ended
}

// hold takes a reader over.
func (c *calls) hold(s turn.Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == nil {
		c.streams = map[turn.Stream]bool{}
	}
	c.streams[s] = true
}

// release closes a reader, once.
func (c *calls) release(s turn.Stream) error {
	c.mu.Lock()
	held := c.streams[s]
	delete(c.streams, s)
	c.mu.Unlock()
	if !held {
		return nil
	}
	return s.Close()
}

// end waits for what runs, lets nothing else begin, and closes the readers.
func (c *calls) end() error {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.running.Wait()
	var errs []error
	for s := range c.streams {
		errs = append(errs, c.release(s))
	}
	return errors.Join(errs...)
}
