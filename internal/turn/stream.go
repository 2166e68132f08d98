package turn

import (
	"context"
	"errors"
	"io"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
)

// orphanPoll is how often a silent reader in mid-turn checks that the process
// whose turn it follows is still alive.
const orphanPoll = 2 * time.Second

// stream reads a session's log to the end of one turn, or for ever.
type stream struct {
	l         *Local
	sessionID string
	turnID    string
	// until is the turn whose exit ends the stream, "" for none; own is that
	// turn where it runs in this process.
	until  string
	own    *running
	reader *session.Reader
	// end is the sequence after which nothing of a turn that is over can come,
	// -1 while that is not known.
	end int64
	// midway is set when the last event that was read does not end a turn.
	midway bool
	// gap is set when the log did not have all of the events.
	gap  bool
	over bool
}

// follow returns the stream of a turn that was accepted earlier.
func (l *Local) follow(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error) {
	alive, err := l.heal(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	own := l.running(sessionID, turnID)
	r, err := l.o.Store.Reader(ctx, sessionID, after)
	if err != nil {
		return nil, err
	}
	s := &stream{l: l, sessionID: sessionID, turnID: turnID, until: turnID, own: own, reader: r, end: -1}
	if turnID == "" || own != nil || alive {
		return s, nil
	}
	if err := s.bound(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return s, nil
}

func (s *stream) Turn() string { return s.turnID }

func (s *stream) Close() error { return s.reader.Close() }

// Next implements [Stream]. Should the log itself have become unwritable, the
// end of the turn is made up for this reader, with sequence 0: no stream of an
// accepted turn ends without process:exit. Where the log lost it, the transcript
// says how the turn ended.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	for !s.over && s.reader.After() != s.end {
		events, err := s.wait(ctx)
		if errors.Is(err, session.ErrReaderClosed) {
			return nil, err
		}
		if err != nil {
			if words := s.lastWords(); words != nil && ctx.Err() == nil {
				return words, nil // the log can neither be written nor read
			}
			return nil, err
		}
		if len(events) > 0 {
			return s.cut(events), nil
		}
		if events, err = s.silence(ctx); err != nil || len(events) > 0 {
			return events, err
		}
	}
	if s.gap && !s.over && s.until != "" {
		s.over = true
		return s.l.recordedEnd(ctx, s.sessionID, s.until)
	}
	return nil, io.EOF
}

// wait returns the next events, or none after orphanPoll without any in
// mid-turn.
func (s *stream) wait(ctx context.Context) ([]event.Event, error) {
	if s.until == "" && !s.midway {
		return s.reader.Next(ctx)
	}
	return s.reader.NextWithin(ctx, orphanPoll)
}

// silence looks for the reason why a turn says nothing. It returns the made-up
// end of one that could not write its own.
func (s *stream) silence(ctx context.Context) ([]event.Event, error) {
	if words := s.lastWords(); words != nil {
		return words, nil
	}
	if s.own != nil {
		if !s.own.retired() {
			return nil, nil
		}
		s.own = nil
	}
	// Perhaps the process that ran the turn is gone.
	alive, err := s.l.heal(ctx, s.sessionID)
	if err != nil || alive || s.until == "" {
		return nil, err
	}
	return nil, s.bound(ctx)
}

// lastWords are the made-up end of the stream's turn, nil if its end is in the
// log or still to come. With them the stream is over.
func (s *stream) lastWords() []event.Event {
	if s.own == nil {
		return nil
	}
	words := s.own.unrecorded()
	s.over = s.over || words != nil
	return words
}

// bound notes where the log ends now that the stream's turn is over. Its exit
// lies before that, or was read by this client in an earlier stream.
func (s *stream) bound(ctx context.Context) (err error) {
	_, s.end, err = s.l.o.Store.Bounds(ctx, s.sessionID)
	return err
}

// cut ends the batch at the last event of the stream's turn, if that has one.
func (s *stream) cut(events []event.Event) []event.Event {
	last := events[len(events)-1]
	s.midway = !last.Ends() && !last.Between()
	for i, e := range events {
		s.gap = s.gap || e.Type == event.LogGap
		if e.Ends() && e.Turn == s.until {
			s.over = true
			return events[:i+1]
		}
	}
	return events
}

// Events implements [Engine].
func (l *Local) Events(ctx context.Context, sessionID string, after int64, turnID string) (Stream, error) {
	if _, err := l.o.Store.Get(ctx, sessionID); err != nil {
		return nil, err
	}
	if turnID != "" {
		if err := l.knownTurn(ctx, sessionID, turnID); err != nil {
			return nil, err
		}
	}
	return l.follow(ctx, sessionID, after, turnID)
}

func (l *Local) knownTurn(ctx context.Context, sessionID, turnID string) error {
	entries, err := l.o.Store.Entries(ctx, sessionID)
	if err != nil {
		return err
	}
	if _, ok := findTurn(entries, turnID); !ok {
		return fault.New(fault.NotFound, "session %s has no turn %q", sessionID, turnID).With("turn", turnID)
	}
	return nil
}

func findTurn(entries []session.Entry, turnID string) (session.Entry, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Kind == session.EntryTurn && e.Turn == turnID {
			return e, true
		}
	}
	return session.Entry{}, false
}
