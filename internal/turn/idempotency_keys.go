package turn

import (
	"context"
	"sync"
	"time"

	"belay/internal/session"
)

// idempotencyKeys finds the turn that an Idempotency-Key began.
type idempotencyKeys struct {
	clock func() time.Time
	// ttl is how long a key is remembered.
	ttl time.Duration

	mu        sync.Mutex
	beginning map[string]chan struct{} // keys whose turn is beginning
}

func newIdempotencyKeys(clock func() time.Time, ttl time.Duration) *idempotencyKeys {
	return &idempotencyKeys{clock: clock, ttl: ttl, beginning: map[string]chan struct{}{}}
}

// find finds the turn that was accepted under a key that still counts.
func (k *idempotencyKeys) find(entries []session.Entry, key string) (session.Entry, bool) {
	e, ok := findKey(entries, key)
	return e, ok && k.clock().Sub(e.Time.Time) <= k.ttl
}

// claim makes requests with the same key wait for each other, so that two
// that arrive at once are one turn, or one message into a turn. The release must be called
// once that is on record or refused.
func (k *idempotencyKeys) claim(ctx context.Context, sessionID, key string) (release func(), err error) {
	name := sessionID + "\x00" + key
	for {
		k.mu.Lock()
		other := k.beginning[name]
		if other == nil {
			mine := make(chan struct{})
			k.beginning[name] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.beginning, name)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func findKey(entries []session.Entry, key string) (session.Entry, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Idempotency != nil && e.Idempotency.Key == key {
			return e, true
		}
	}
	return session.Entry{}, false
}
