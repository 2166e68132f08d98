package turn

import (
	"context"

	"belay/internal/fault"
	"belay/internal/session"
)

// once begins a turn under the request's key, unless one was begun before.
func (s *starter) once(ctx context.Context, rec session.Record, r Request) (Stream, error) {
	release, err := s.keys.claim(ctx, r.SessionID, r.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer release()
	if r.KeepsPlace {
		ctx = context.WithoutCancel(ctx) // callers who wait behind it leave with theirs
	}
	if earlier, err := s.replay(ctx, r); earlier != nil || err != nil {
		return earlier, err
	}
	begun, err := s.begin(ctx, rec, r)
	if fault.Is(err, fault.TurnInProgress) {
		// What runs, or ran just now, may be this very request: another process
		// took it between our look and our try.
		if earlier, err := s.replay(ctx, r); earlier != nil || err != nil {
			return earlier, err
		}
	}
	return begun, err
}

// acceptedAlready reports whether another process accepted the turn's request
// while this one was on its way to the lease.
func (s *starter) acceptedAlready(t *turn) bool {
	if t.req.IdempotencyKey == "" {
		return false
	}
	_, ok := s.keys.find(t.Lease.Entries(), t.req.IdempotencyKey)
	return ok
}

// replay returns the stream of the turn that was accepted under the request's
// key, also after a crash, or nil if there is none that still counts.
func (s *starter) replay(ctx context.Context, r Request) (Stream, error) {
	entries, err := s.store.Entries(ctx, r.SessionID)
	if err != nil {
		return nil, err
	}
	earlier, ok := s.keys.find(entries, r.IdempotencyKey)
	if !ok {
		sent, err := s.store.Signals.InputSent(ctx, r.SessionID, r.IdempotencyKey, "")
		if sent && err == nil {
			err = fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for a message into a turn of this session, which has it", r.IdempotencyKey)
		}
		return nil, err
	}
	if earlier.Idempotency.Digest != r.BodyDigest {
		return nil, fault.New(fault.IdempotencyConflict, "Idempotency-Key %q was used for another request in this session", r.IdempotencyKey).
			With("turnId", earlier.Turn)
	}
	return s.streams.follow(ctx, r.SessionID, earlier.After, earlier.Turn, entries)
}
