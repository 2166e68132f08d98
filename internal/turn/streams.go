package turn

import (
	"context"
	"time"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/recovery"
)

// orphanPoll is how often a silent reader in mid-turn checks that the process
// whose turn it follows is still alive. readPatience is how long a reader tries to
// read a log that cannot be read, and retryRead how often.
const (
	orphanPoll   = 2 * time.Second
	readPatience = 10 * time.Second
	retryRead    = 250 * time.Millisecond
)

// streams opens the streams of sessions.
type streams struct {
	store   *session.Store
	clock   func() time.Time
	closing context.Context
	running *runningTurns
	ends    *recovery.UnrecordedEnds
	dead    *deadTurns

	// poll and patience are orphanPoll and readPatience but in tests.
	poll, patience time.Duration
}

// open returns the stream of a turn, of the whole session for "". Own is the turn where
// it runs in this process.
func (s *streams) open(sessionID, turnID string, own *turn, r *session.Reader) *stream {
	return &stream{of: s, sessionID: sessionID, turnID: turnID, until: turnID, own: own, reader: r, end: -1, done: make(chan struct{})}
}

// follow returns the stream of a turn that was accepted earlier. Entries are those of the
// session, which only a stream that ends with a turn needs.
func (s *streams) follow(ctx context.Context, sessionID string, after int64, turnID string, entries []session.Entry) (Stream, error) {
	alive, err := s.dead.heal(ctx, sessionID)
	if err != nil && !fault.Is(err, fault.StorageFailure) {
		return nil, err
	}
	own := s.running.find(sessionID, turnID)
	end, lost := s.ends.In(sessionID, err)
	r, rerr := s.store.Reader(ctx, sessionID, after)
	switch {
	case rerr != nil && lost && turnID == end.Turn && fault.Is(rerr, fault.StorageFailure):
		return &endStream{end: end}, nil
	case rerr != nil:
		return nil, rerr
	}
	f := s.open(sessionID, turnID, own, r)
	f.end = s.before(ctx, sessionID, after, turnID, entries)
	if lost {
		f.midway, f.current = true, end.Turn // its end is not in the log
	}
	if turnID == "" || own != nil || alive || err != nil || f.end >= 0 {
		return f, nil
	}
	if err := f.bound(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return f, nil
}

// events implements [Turns.Events].
func (s *streams) events(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error) {
	if _, err := s.store.Get(ctx, sessionID); err != nil {
		return nil, err
	}
	if turnID == "" {
		return s.follow(ctx, sessionID, after, "", nil)
	}
	entries, err := s.store.Entries(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	if _, ok := session.FindTurn(entries, turnID); !ok {
		return nil, session.NoSuchTurn(sessionID, turnID)
	}
	return s.follow(ctx, sessionID, after, turnID, entries)
}

// before is the last sequence before the turn that came after turnID, and not before the
// reader's own position: what follows is none of turnID's events. It is -1 where turnID is
// the last turn, and where the log has no such position: then the log says so.
func (s *streams) before(ctx context.Context, sessionID string, after int64, turnID string, entries []session.Entry) int64 {
	for _, e := range session.Since(entries, turnID) {
		if e.Kind != session.EntryTurn || e.Turn == turnID || e.After < 0 {
			continue
		}
		if _, last, err := s.store.Bounds(ctx, sessionID); err != nil || after > last {
			return -1
		}
		return max(e.After, after)
	}
	return -1
}
