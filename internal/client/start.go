package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"belay/internal/fault"
	"belay/internal/turn"
)

// Start implements turn.Engine. With an idempotency key the request is sent again
// when the connection broke before an answer came.
func (c *Client) Start(ctx context.Context, r turn.Request) (turn.Stream, error) {
	if len(r.Links) > 0 || r.Destination != nil {
		// Without them the turn would send files outside the machine unasked.
		return nil, fault.New(fault.InvalidRequest, "a turn over HTTP takes no files by their addresses and has no destination")
	}
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
		req, err := c.server.request(ctx, http.MethodPost, harness+"turn", bytes.NewReader(data))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			if r.IdempotencyKey != "" {
				req.Header.Set("Idempotency-Key", r.IdempotencyKey)
			}
		}
		return req, err
	}
	far := c.server
	if r.Opts.OnBusy != "" || len(r.Attachments) > 0 {
		far = far.patient()
	}
	var conn *connection
	err = far.once(ctx, r.IdempotencyKey, func() (err error) {
		conn, err = far.connect(ctx, post)
		return err
	})
	if err != nil {
		return nil, err
	}
	if conn.turn == "" {
		conn.close()
		return nil, fault.New(fault.SDKFailure, "the answer does not name its turn").Because(errForeign)
	}
	s := c.stream(r.SessionID)
	s.conn, s.turn, s.until, s.current = conn, conn.turn, conn.turn, conn.turn
	return s, nil
}

// once sends what the server does once for a key. Without a key it is sent once. With one it
// is sent again while no answer comes. After a try whose answer was lost the server may have
// taken it, whatever the last try says, and the error wraps both.
func (s *server) once(ctx context.Context, key string, send func() error) error {
	var lost error
	for attempt := 0; ; attempt++ {
		err := send()
		if err == nil {
			return nil
		}
		if key == "" || isFinal(err) || attempt == s.o.Retries {
			if lost != nil && !errors.As(err, new(*Unreached)) {
				err = fmt.Errorf("%w (an earlier try may have been taken: %w)", err, lost)
			}
			return err
		}
		switch {
		case errors.As(err, new(*Unreached)):
			lost = err
		case errors.Is(err, errForeign):
			lost = &Unreached{Address: s.base, Err: err}
		}
		if err := s.pause(ctx, attempt); err != nil {
			return err
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
