package turn

import (
	"context"

	"belay/internal/fault"
	"belay/internal/session"
)

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
	entries, err := l.o.Store.Transcript(ctx, r.SessionID)
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
	if err := l.heal(ctx, r.SessionID); err != nil {
		return nil, err
	}
	reader, err := l.o.Store.Reader(ctx, r.SessionID, earlier.After)
	if err != nil {
		return nil, err
	}
	return &stream{
		l: l, sessionID: r.SessionID, turnID: earlier.Turn, until: earlier.Turn,
		own: l.running(r.SessionID, earlier.Turn), reader: reader,
	}, nil
}

func findKey(entries []session.Entry, key string) (session.Entry, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Idempotency != nil && e.Idempotency.Key == key {
			return e, true
		}
	}
	return session.Entry{}, false
}
