package apitest

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
)

// Events implements turn.Engine.
func (e *Engine) Events(_ context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	l, err := logOf(e, id)
	if err != nil {
		return nil, err
	}
	return &stream{e: e, l: l, next: after, until: turnID, done: make(chan struct{})}, nil
}

// stream reads a log.
type stream struct {
	e           *Engine
	l           *log
	turn, until string
	next        int64
	over        bool
	once        sync.Once
	done        chan struct{} // closed by Close
}

// Turn implements turn.Stream.
func (s *stream) Turn() string { return s.turn }

// Close implements turn.Stream.
func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.e.mu.Lock()
		defer s.e.mu.Unlock()
		s.e.closed++
	})
	return nil
}

// Next implements turn.Stream.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	if s.over {
		return nil, io.EOF
	}
	if err := s.e.Fail["Next"]; err != nil && s.next > 0 {
		return nil, err
	}
	for {
		batch, changed := s.ready()
		if len(batch) > 0 {
			return batch, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.done:
			return nil, session.ErrReaderClosed
		case <-changed:
		}
	}
}

// ready returns what can be read now, else a channel that says when to look.
func (s *stream) ready() ([]event.Event, <-chan struct{}) {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	if last := int64(len(s.l.events)); s.next > last {
		s.next = last
		return []event.Event{gap("reset", last)}, nil
	}
	if s.turn == "" && s.next < s.e.Forget {
		s.next = min(s.e.Forget, int64(len(s.l.events)))
		return []event.Event{gap("expired", s.next)}, nil
	}
	until := s.until
	if s.turn != "" {
		until = s.turn
	}
	var batch []event.Event
	for _, ev := range s.l.events[s.next:] {
		batch = append(batch, ev)
		s.next = ev.Seq
		if ev.Ends() && ev.Turn == until {
			s.over = true
			break
		}
	}
	return batch, s.l.changed
}

func gap(reason string, at int64) event.Event {
	raw, _ := json.Marshal(event.Gap{Reason: reason, Next: at + 1})
	return event.Event{Seq: at, Type: event.LogGap, Data: raw}
}
