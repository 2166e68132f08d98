package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
)

// Start implements turn.Engine. With an idempotency key the request is sent again
// when the connection broke before an answer came.
func (c *Client) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	opts, err := encodeOpts(r.Opts)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"sessionId": r.SessionID, "message": r.Message, "opts": opts}
	if r.Attachments != nil {
		body["attachments"] = r.Attachments
	}
	data, err := encode(body)
	if err != nil {
		return nil, err
	}
	post := func(ctx context.Context) (*http.Request, error) {
		req, err := c.request(ctx, http.MethodPost, harness+"turn", bytes.NewReader(data))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			if r.IdempotencyKey != "" {
				req.Header.Set("Idempotency-Key", r.IdempotencyKey)
			}
		}
		return req, err
	}
	for attempt := 0; ; attempt++ {
		conn, err := c.connect(ctx, post)
		switch {
		case err == nil && conn.turn == "":
			conn.close()
			return nil, fault.New(fault.SDKFailure, "the answer does not name its turn").Because(errForeign)
		case err == nil:
			return &stream{c: c, sessionID: r.SessionID, conn: conn, turn: conn.turn, until: conn.turn, current: conn.turn}, nil
		case r.IdempotencyKey == "" || isFinal(err) || attempt == c.o.Retries:
			return nil, err
		}
		if err := c.pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
}

// encodeOpts returns the options as an object, with the names of unknown ones, so
// that the server warns of them as a local engine would.
func encodeOpts(o turn.Opts) (map[string]json.RawMessage, error) {
	data, err := encode(o)
	if err != nil {
		return nil, err
	}
	opts := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &opts); err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	for _, name := range o.Unknown {
		if _, exists := opts[name]; !exists {
			opts[name] = json.RawMessage("null")
		}
	}
	return opts, nil
}

// Events implements turn.Engine.
func (c *Client) Events(ctx context.Context, id string, after int64, turnID string) (turn.Stream, error) {
	s := &stream{c: c, sessionID: id, until: turnID, last: after}
	if err := s.resume(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// stream reads one session's events over as many connections as it takes.
type stream struct {
	c         *Client
	sessionID string
	// turn is the turn that Start began, until the one whose exit ends the
	// stream, current the one that the last session:init named.
	turn, until, current string
	// last is the sequence that a new connection goes on after; ended says that
	// the event before was a process:exit.
	last        int64
	ended, over bool
	conn        *connection
}

// Turn implements turn.Stream.
func (s *stream) Turn() string { return s.turn }

// Close implements turn.Stream.
func (s *stream) Close() error {
	s.over = true
	s.drop()
	return nil
}

func (s *stream) drop() {
	if s.conn != nil {
		s.conn.close()
		s.conn = nil
	}
}

// resume makes a connection for what comes after the last event.
func (s *stream) resume(ctx context.Context) error {
	path := sessionPath(s.sessionID, "/events")
	if s.until != "" {
		path += "?turn=" + url.QueryEscape(s.until)
	}
	conn, err := s.c.connect(ctx, func(ctx context.Context) (*http.Request, error) {
		req, err := s.c.request(ctx, http.MethodGet, path, nil)
		if err == nil {
			req.Header.Set("Last-Event-ID", strconv.FormatInt(s.last, 10))
		}
		return req, err
	})
	s.conn = conn
	return err
}

// Next implements turn.Stream.
func (s *stream) Next(ctx context.Context) ([]event.Event, error) {
	for attempt := 0; !s.over; attempt++ {
		events, err := s.read(ctx)
		switch {
		case err == nil:
			return events, nil
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
		case attempt == s.c.o.Retries:
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // an end, but not the stream's
			}
			return nil, fmt.Errorf("events of session %s: no success in %d tries: %w", s.sessionID, attempt+1, err)
		}
		if err := s.c.pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// read returns the connection's next batch, making a connection if there is none.
func (s *stream) read(ctx context.Context) ([]event.Event, error) {
	if s.conn == nil {
		if err := s.resume(ctx); err != nil {
			return nil, err
		}
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case batch, ok := <-s.conn.batches:
		if !ok {
			return nil, s.conn.err
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
func (c *Client) pause(ctx context.Context, attempt int) error {
	d := min(c.o.Backoff<<min(attempt, 16), maxBackoff)
	timer := time.NewTimer(d/2 + rand.N(d/2+1))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
