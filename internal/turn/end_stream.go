package turn

import (
	"context"
	"io"
	"sync/atomic"

	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn/recovery"
)

// endStream is the stream of a turn whose log cannot be opened, so that its synthetic
// end is all that can be sent.
type endStream struct {
	end          recovery.UnrecordedEnd
	sent, closed atomic.Bool
}

var _ Stream = (*endStream)(nil)

// Turn implements [Stream].
func (e *endStream) Turn() string { return e.end.Turn }

// Close implements [Stream].
func (e *endStream) Close() error {
	e.closed.Store(true)
	return nil
}

// Next implements [Stream].
func (e *endStream) Next(ctx context.Context) ([]event.Event, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case e.sent.Swap(true):
		return nil, io.EOF
	case e.closed.Load():
		return nil, session.ErrReaderClosed
	}
	return e.end.Synthetic, nil
}
