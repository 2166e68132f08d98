package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
)

// Events implements turn.Engine.
func (c *Client) Events(ctx context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	s := c.stream(id)
	s.until, s.last = turnID, after
	if _, err := s.resume(ctx); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// stream reads one session's events over as many connections as it takes. But for
// life and what mu guards, everything belongs to the goroutine that calls Next.
type stream struct {
	server    *server
	sessionID string
	// life ends with Close.
	life context.Context
	end  context.CancelFunc
	// turn is the turn that Start began, until the one whose exit ends the
	// stream, current the one that the last session:init named.
	turn, until, current string
	// last is the sequence that a new connection goes on after; ended says that
	// the event before was a process:exit.
	last        int64
	ended, over bool

	mu   sync.Mutex
	conn *connection // nil between two, and after Close
}

func (c *Client) stream(sessionID string) *stream {
	s := &stream{server: c.server, sessionID: sessionID}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Turn implements turn.Stream.
func (s *stream) Turn() string { return s.turn }

// Close implements turn.Stream.
func (s *stream) Close() error {
	s.end()
	s.drop()
	return nil
}

// drop closes the connection, if there is one.
func (s *stream) drop() {
	s.mu.Lock()
	conn := s.conn
	s.conn = nil
	s.mu.Unlock()
	if conn != nil {
		conn.close()
	}
}

// connection returns the open connection, making one if there is none.
func (s *stream) connection(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	return s.resume(ctx)
}

// alive derives a context that Close ends, too.
func (s *stream) alive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(s.life, cancel)
	return ctx, func() {
		unhook()
		cancel()
	}
}

// resume makes a connection for what comes after the last event.
func (s *stream) resume(ctx context.Context) (*connection, error) {
	ctx, cancel := s.alive(ctx)
	defer cancel()
	path := sessionPath(s.sessionID, "/events")
	if s.until != "" {
		path += "?turn=" + url.QueryEscape(s.until)
	}
	conn, err := s.server.connect(ctx, func(ctx context.Context) (*http.Request, error) {
		req, err := s.server.request(ctx, http.MethodGet, path, nil)
		if err == nil {
			req.Header.Set("Last-Event-ID", strconv.FormatInt(s.last, 10))
		}
		return req, err
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.life.Err() == nil {
		s.conn = conn
	}
	s.mu.Unlock()
	if s.life.Err() != nil {
		conn.close() // Close came before it could have seen this one
		return nil, session.ErrReaderClosed
	}
	return conn, nil
}

// Next implements turn.Stream.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	for attempt := 0; !s.over; attempt++ {
		events, err := s.read(ctx)
		switch {
		case err == nil:
			return events, nil
		case s.life.Err() != nil:
			return nil, session.ErrReaderClosed
		case ctx.Err() != nil:
			return nil, ctx.Err() // nothing was lost: the connection goes on
		}
		s.drop()
		switch {
		case errors.Is(err, io.EOF) && s.ended && s.until != "":
			s.over = true
			continue
		case isFinal(err):
			return nil, err
		case attempt == s.server.o.Retries:
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // an end, but not the stream's
			}
			if lost := (*Unreached)(nil); !errors.As(err, &lost) {
				err = s.server.unreached(err)
			}
			return nil, fmt.Errorf("the events of session %s could not be read in %d tries: %w", s.sessionID, attempt+1, err)
		}
		if err := s.pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// pause waits before another try; Close ends the wait.
func (s *stream) pause(ctx context.Context, attempt int) error {
	ctx, cancel := s.alive(ctx)
	defer cancel()
	err := s.server.pause(ctx, attempt)
	if s.life.Err() != nil {
		return session.ErrReaderClosed
	}
	return err
}

// read returns the connection's next batch, making a connection if there is none.
func (s *stream) read(ctx context.Context) ([]event.Event, error) {
	conn, err := s.connection(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.life.Done():
		return nil, session.ErrReaderClosed
	case batch, ok := <-conn.batches:
		if !ok {
			return nil, conn.err
		}
		events := make([]event.Event, len(batch))
		for i, m := range batch {
			events[i] = s.event(m)
		}
		if s.over {
			s.drop()
		}
		return events, nil
	}
}

// event turns a message into an event and remembers the place.
func (s *stream) event(m message) event.Event {
	e := event.Event{Time: time.Now().UTC(), Type: event.Type(m.event), Data: m.data}
	if !json.Valid(m.data) {
		e.Data, _ = json.Marshal(string(m.data)) // no event of belay's: pass it on as a string
	}
	if seq, err := strconv.ParseInt(m.id, 10, 64); err == nil && seq >= 0 {
		e.Seq, s.last = seq, seq
	}
	if e.Type == event.SessionInit {
		var init event.Init
		if json.Unmarshal(e.Data, &init) == nil && init.TurnID != "" {
			s.current = init.TurnID
		}
	}
	if e.Between() {
		return e
	}
	e.Turn = s.current
	s.ended = e.Ends()
	s.over = s.over || s.ended && s.until != "" && s.current == s.until
	return e
}

// pause waits before another try, longer each time, at a moment that differs
// between clients.
func (s *server) pause(ctx context.Context, attempt int) error {
	d := min(s.o.Backoff<<min(attempt, 16), maxBackoff)
	timer := time.NewTimer(d/2 + rand.N(d/2+1))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
