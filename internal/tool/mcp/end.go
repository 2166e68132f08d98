package mcp

import (
	"context"
	"time"
)

const (
	// settleTime bounds the wait for the end of a broken connection.
	settleTime = time.Second
	// closeTime is how long a session may take to end: it asks a program twice, for endTime each.
	closeTime = 3 * endTime
)

// over reports whether the session has ended. It waits for that: a program may write its last
// words after the end of its answers.
func (c *connection) over(ctx context.Context) bool {
	wait := time.NewTimer(settleTime)
	defer wait.Stop()
	select {
	case <-c.ended:
		return true
	case <-wait.C:
	case <-ctx.Done():
	}
	return false
}

// endUnlessSent ends a server that does not read a message whose time is over, until sent is
// called. Whoever writes to such a program waits until it reads, whatever a context says.
func (c *connection) endUnlessSent(ctx context.Context) (sent func()) {
	done := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		select {
		case <-done:
		case <-time.After(endTime):
			c.link.close()
		}
	})
	return func() {
		close(done)
		forget()
	}
}

// close ends the session and all that belongs to it.
func (c *connection) close() {
	if c.session != nil {
		// The session waits for messages that are being written, perhaps for ever.
		late := time.AfterFunc(closeTime, c.link.close)
		_ = c.session.Close() // it was ended on purpose, or is over already
		late.Stop()
	}
	c.link.close()
}
