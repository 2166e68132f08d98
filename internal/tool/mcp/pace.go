package mcp

import (
	"context"
	"sync"
	"time"
)

// streamPause is the least time between two streams that are asked for. A server names the time
// itself, and one that ends each stream at once, after a millisecond, would have belay ask on and on.
const streamPause = time.Second

// pace spaces the requests for streams of one connection. The zero value is ready.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait waits for the turn of a request.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	left := max(time.Until(p.next), 0)
	p.next = time.Now().Add(left + streamPause)
	p.mu.Unlock()
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
