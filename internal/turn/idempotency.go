package turn

import (
	"context"

	"belay/internal/fault"
	"belay/internal/session"
)

// once begins a turn under the request's key, unless one was begun before.
func (l *Local) once(ctx context.Context, rec session.Record, r Request) (Stream, error) {
	release, err := l.claimKey(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	if s, err := l.replay(ctx, r); s != nil || err != nil {
		return s, err
	}
	s, err := l.begin(ctx, rec, r)
	if fault.Is(err, fault.TurnInProgress) {
		// What runs, or ran just now, may be this very request: another process
		// took it between our look and our try.
		if earlier, err := l.replay(ctx, r); earlier != nil || err != nil {
			return earlier, err
		}
	}
	return s, err
}

// acceptedAlready reports whether another process accepted the turn's request
// while this one was on its way to the lease.
func (l *Local) acceptedAlready(t *turn) bool {
	if t.req.IdempotencyKey == "" {
		return false
	}
	_, ok := l.remembered(t.lease.Entries(), t.req.IdempotencyKey)
	return ok
}

// remembered finds the turn that was accepted under a key that still counts.
func (l *Local) remembered(entries []session.Entry, key string) (session.Entry, bool) {
	e, ok := findKey(entries, key)
	return e, ok && l.o.Clock().Sub(e.Time.Time) <= l.o.Rules.Limits.IdempotencyTTL
}

// claimKey makes requests with the same key wait for each other, so that two
// that arrive at once are one turn. The release must be called once the turn is
// on record or refused.
func (l *Local) claimKey(ctx context.Context, r Request) (release func(), err error) {
	name := r.SessionID + "\x00" + r.IdempotencyKey
	for {
		l.mu.Lock()
		other := l.keys[name]
		if other == nil {
			mine := make(chan struct{})
			l.keys[name] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.keys, name)
				l.mu.Unlock()
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// replay returns the stream of the turn that was accepted under the request's
// key, also after a crash, or nil if there is none that still counts.
func (l *Local) replay(ctx context.Context, r Request) (Stream, error) {
	entries, err := l.o.Store.Entries(ctx, r.SessionID)
	if err != nil {
		return nil, err
	}
	earlier, ok := findKey(entries, r.IdempotencyKey)
	if !ok || l.o.Clock().Sub(earlier.Time.Time) > l.o.Rules.Limits.IdempotencyTTL {
		return nil, nil
	}
	if earlier.Idempotency.Digest != r.BodyDigest {
		return nil, fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another request in this session", r.IdempotencyKey).
			With("turnId", earlier.Turn)
	}
	return l.follow(ctx, r.SessionID, earlier.After, earlier.Turn)
}

func findKey(entries []session.Entry, key string) (session.Entry, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Idempotency != nil && e.Idempotency.Key == key {
			return e, true
		}
	}
	return session.Entry{}, false
}
