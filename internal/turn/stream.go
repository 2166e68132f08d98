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

// orphanPoll is how often a reader checks that the process whose turn it
// follows is still alive.
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
	over   bool
}

func (s *stream) Turn() string { return s.turnID }

func (s *stream) Close() error { return s.reader.Close() }

// Next implements [Stream]. Should the log itself have become unwritable, the
// end of the turn is made up for this reader, with sequence 0: no stream of an
// accepted turn ends without process:exit.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	for !s.over {
		events, err := s.wait(ctx)
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			return s.cut(events), nil
		}
		if s.own == nil {
			// Perhaps the process that ran the turn is gone. A stream without
			// an end waits for nobody.
			if s.until != "" {
				err = s.l.heal(ctx, s.sessionID)
			}
		} else if words := s.own.unrecorded(); words != nil {
			s.over = true
			return words, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// wait returns the next events, or none after orphanPoll without any.
func (s *stream) wait(ctx context.Context) ([]event.Event, error) {
	poll, cancel := context.WithTimeout(ctx, orphanPoll)
	defer cancel()
	events, err := s.reader.Next(poll)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return events, err
}

// cut ends the batch at the last event of the stream's turn.
func (s *stream) cut(events []event.Event) []event.Event {
	if s.until == "" {
		return events
	}
	for i, e := range events {
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
	if err := l.heal(ctx, sessionID); err != nil {
		return nil, err
	}
	if turnID != "" {
		if err := l.knownTurn(ctx, sessionID, turnID); err != nil {
			return nil, err
		}
	}
	r, err := l.o.Store.Reader(ctx, sessionID, after)
	if err != nil {
		return nil, err
	}
	s := &stream{l: l, sessionID: sessionID, turnID: turnID, until: turnID, reader: r}
	if turnID != "" {
		s.own = l.running(sessionID, turnID)
	}
	return s, nil
}

func (l *Local) knownTurn(ctx context.Context, sessionID, turnID string) error {
	entries, err := l.o.Store.Transcript(ctx, sessionID)
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
