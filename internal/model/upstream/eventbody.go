package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// errLeft ends the reading of an answer that nobody wants any more.
var errLeft = errors.New("the caller wants no more")

// eventBody is the body of an answer as an SDK reads it. It caps lines and events,
// drops a byte order mark, and reports keep-alives, which SDKs skip.
type eventBody struct {
	call  *Call
	body  io.ReadCloser
	ended func() error // the error of the call's context
	lines *bufio.Reader
	begun bool
	event int64  // bytes of the event so far
	start []byte // of the current line
	ready []byte // read and not yet passed on
}

func newEventBody(ctx context.Context, c *Call, body io.ReadCloser) *eventBody {
	return &eventBody{call: c, body: body, ended: ctx.Err, lines: bufio.NewReader(body)}
}

// byteOrderMark is no part of the first line (HTML standard, 9.2.5).
const byteOrderMark = "\ufeff"

// Read implements [io.Reader].
func (b *eventBody) Read(p []byte) (int, error) {
	if b.call.failed != nil {
		return 0, b.call.failed
	}
	if err := b.ended(); err != nil {
		return 0, b.fail(err) // bytes that were already received still arrive after a cancel
	}
	if !b.begun {
		b.begun = true
		if mark, _ := b.lines.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			_, _ = b.lines.Discard(len(mark))
		}
	}
	if len(b.ready) == 0 {
		piece, err := b.lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && len(piece) == 0 {
			return 0, b.fail(err)
		}
		if err := b.look(piece); err != nil {
			return 0, b.fail(err)
		}
		b.ready = piece // valid until the next ReadSlice
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// fail keeps the error that ends the reading; the end of the answer is none.
func (b *eventBody) fail(err error) error {
	if !errors.Is(err, io.EOF) {
		b.call.failed = err
	}
	return err
}

// aliveStart is as much of a line as shows whether it is a keep-alive.
const aliveStart = len("event: ping\r\n")

// look counts a piece of a line and reports a keep-alive: a comment or a ping.
func (b *eventBody) look(piece []byte) error {
	b.event += int64(len(bytes.TrimRight(piece, "\r\n")))
	b.start = append(b.start, piece[:min(len(piece), aliveStart-len(b.start))]...)
	ended := bytes.HasSuffix(piece, []byte("\n"))
	line := bytes.TrimRight(b.start, "\r\n")
	if b.event > b.call.maxLine {
		return &lineError{b.call.maxLine}
	}
	if !ended {
		return nil
	}
	b.start = b.start[:0]
	comment := bytes.HasPrefix(line, []byte(":"))
	if comment || len(line) == 0 {
		b.event = 0
	}
	if name, is := bytes.CutPrefix(line, []byte("event:")); comment || is && string(bytes.TrimSpace(name)) == "ping" {
		if !b.call.Alive() {
			return errLeft
		}
	}
	return nil
}

// The bounds on what is read after an answer's last event.
const (
	drainTime  = 100 * time.Millisecond
	drainBytes = 16 << 10
)

// Close reads the end of the answer, so that the connection can be used again. It
// follows at once or is not worth waiting for: then the connection is closed.
func (b *eventBody) Close() error {
	if b.call.failed != nil || b.call.left {
		return b.body.Close()
	}
	late := time.AfterFunc(drainTime, func() { _ = b.body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, b.lines, drainBytes)
	return b.body.Close()
}
