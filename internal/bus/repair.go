package bus

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// reviveAfter is how many failures in a row it takes, the last of them silence,
// until the embedded server is restarted.
const reviveAfter = 3

// failed notes that the bus did not store a message, and repairs it when it has
// not answered for a while.
func (b *Bus) failed(ctx context.Context, err error) {
	failures := b.health.failed(err)
	if failures == 1 {
		b.opts.Logger.Warn("the bus does not store messages; it is tried again", "error", err)
	}
	if (unanswered(err) || b.server.down()) && failures%reviveAfter == 0 {
		if err := b.Renew(ctx); err != nil {
			b.health.failed(err)
		}
	}
}

// unanswered reports whether err means that nobody is there to answer: a store
// that fell silent, or a stream that is gone.
func unanswered(err error) bool {
	for _, silence := range []error{nats.ErrNoResponders, nats.ErrTimeout, context.DeadlineExceeded, jetstream.ErrStreamNotFound} {
		if errors.Is(err, silence) {
			return true
		}
	}
	return false
}

// Renew repairs what keeps the bus from storing messages: an embedded server that a
// write error has silenced, or whose store somebody removed, is restarted, and missing
// streams are made anew. Clients, this one included, reconnect by themselves. It returns
// at once when another goroutine is at it.
func (b *Bus) Renew(ctx context.Context) error {
	if !b.reviving.TryLock() {
		return nil
	}
	defer b.reviving.Unlock()
	if b.server != nil {
		if err := b.server.restart(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*b.opts.AckTimeout)
	defer cancel()
	for {
		// A request that meets the old connection is lost, so each attempt has
		// a deadline of its own.
		err := b.ensureStreams(ctx, b.opts.AckTimeout/2)
		if err == nil || ctx.Err() != nil {
			return err
		}
		pause(ctx, reconnectWait)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
