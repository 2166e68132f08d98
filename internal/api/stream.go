package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
)

// headGrace is how long a stream's headers may wait for its first events, so
// that both leave in one write.
const headGrace = 20 * time.Millisecond

// admit takes one of the places for streams; the caller calls the returned
// function to give it back.
func (h *Handler) admit() (func(), error) {
	if h.streams.Add(1) > int64(h.o.MaxStreams) {
		h.streams.Add(-1)
		return nil, fault.New(fault.Overloaded, "the limit of %d open streams is reached", h.o.MaxStreams).With("limit", h.o.MaxStreams)
	}
	h.metrics.streams.Inc()
	return func() {
		h.streams.Add(-1)
		h.metrics.streams.Dec()
	}, nil
}

// follow copies a stream that a request reads from a position, until end is done.
func (c *call) follow(end context.Context, after string, open func(after int64) (turn.Stream, error)) error {
	from, err := position(c.r, after)
	if err != nil {
		return err
	}
	release, err := c.admit()
	if err != nil {
		return err
	}
	defer release()
	s, err := open(from)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // it was only read
	c.copyStream(end, c.w, c.r, s)
	return nil
}

// outcome is how the copying of a stream came to its end.
type outcome int

const (
	// complete: the stream itself ended.
	complete outcome = iota
	// left: the client went away or stopped reading.
	left
	// ended: the server is ending its streams.
	ended
)

// copyStream sends s to the client until one of the outcomes; end is done when
// the server wants it to. While s is silent the only things that wait are this
// goroutine and net/http's own; buffers go back to their pool after every batch.
func (h *Handler) copyStream(end context.Context, w *response, r *http.Request, s turn.Stream) outcome {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(end, cancel)()

	startStream(w, s.Turn())
	quiet := silence{ctx: ctx}
	quiet.wait(headGrace)
	defer func() { quiet.stop() }()
	for {
		events, err := s.Next(quiet.timed)
		switch {
		case err == nil:
			if h.sendEvents(w, events, s) != nil {
				return left
			}
			quiet.broken(h.o.KeepAlive)
		case errors.Is(err, io.EOF):
			return complete // with it goes what was not flushed
		case r.Context().Err() != nil:
			return left
		case ctx.Err() != nil, errors.Is(err, turn.ErrLeft):
			return ended
		case quiet.timed.Err() != nil:
			if h.fillSilence(w, &quiet) != nil {
				return left
			}
		default:
			h.o.Logger.Error("a stream could not be read on", "path", r.URL.Path, "error", err)
			panic(http.ErrAbortHandler) // the client sees a break and may resume
		}
	}
}

// sendEvents sends a batch and flushes it once. The end of the stream's own turn is
// not flushed: the end of the response follows at once, and both leave together.
func (h *Handler) sendEvents(w *response, events []event.Event, s turn.Stream) error {
	b := getBuffer()
	defer putBuffer(b)
	var ids func(int) string
	if own, ok := s.(interface{ eventID(i int) string }); ok {
		ids = own.eventID
	}
	sent, err := writeEvents(w, b, events, ids)
	h.metrics.events.Add(float64(len(events)))
	h.metrics.bytes.Add(float64(sent))
	if last := events[len(events)-1]; err != nil || last.Ends() && last.Turn == s.Turn() {
		return err
	}
	return w.flush()
}

// fillSilence sends what is due after a wait in which no event came: the headers
// that waited for one, or a comment.
func (h *Handler) fillSilence(w *response, quiet *silence) error {
	if !quiet.since.IsZero() {
		if rest := h.o.KeepAlive - time.Since(quiet.since); rest > 0 {
			quiet.wait(rest)
			return nil
		}
		if _, err := w.Write(keepAlive); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	quiet.since = time.Now()
	quiet.wait(h.o.KeepAlive)
	return nil
}

// silence bounds how long a stream waits for events. One timer serves many
// waits: it is set anew when it fires, not at every event.
type silence struct {
	ctx   context.Context
	timed context.Context
	stop  context.CancelFunc
	// since is when something was sent last, zero before the headers are.
	since time.Time
}

func (q *silence) wait(d time.Duration) {
	if q.stop != nil {
		q.stop()
	}
	q.timed, q.stop = context.WithTimeout(q.ctx, d)
}

// broken notes that something was sent.
func (q *silence) broken(keepAlive time.Duration) {
	if q.since.IsZero() {
		q.wait(keepAlive)
	}
	q.since = time.Now()
}
