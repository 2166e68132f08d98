package client

import (
	"context"
	"sync"
)

// lanes let one call of a kind be made at a time. The library's rate limiter does that as
// well, but looks at its own state before.
type lanes struct {
	mu    sync.Mutex
	taken map[string]*lane
}

type lane struct {
	free  chan struct{} // holds a token while nobody is in it
	users int           // who is in it or waits
}

// enter waits until the lane is free or ctx is done. The caller calls leave after nil.
func (l *lanes) enter(ctx context.Context, name string) (leave func(), err error) {
	l.mu.Lock()
	if l.taken == nil {
		l.taken = map[string]*lane{}
	}
	n := l.taken[name]
	if n == nil {
		n = &lane{free: make(chan struct{}, 1)}
		n.free <- struct{}{}
		l.taken[name] = n
	}
	n.users++
	l.mu.Unlock()
	gone := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if n.users--; n.users == 0 {
			delete(l.taken, name)
		}
	}
	select {
	case <-n.free:
		return func() {
			n.free <- struct{}{}
			gone()
		}, nil
	case <-ctx.Done():
		gone()
		return nil, context.Cause(ctx)
	}
}
