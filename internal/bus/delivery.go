package bus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
	"belay/internal/crash"
)

// How messages are delivered that somebody has to acknowledge.
const (
	// ackWait is how long a message may be silent: then it is delivered again, so it
	// is the delay after the death of a process. Who works on a message says so
	// every stillWorking.
	ackWait      = 10 * time.Second
	stillWorking = ackWait / 4
	// attempts is how often a message may fail before it is a dead letter.
	attempts     = 5
	firstBackoff = time.Second
	mostBackoff  = time.Minute
)

// Backoff is the delay after so many failures of a message.
func Backoff(failures int) time.Duration {
	d := firstBackoff
	for range failures - 1 {
		if d *= 2; d >= mostBackoff {
			return mostBackoff
		}
	}
	return d
}

// Follow delivers signals, of the given types, to handle: one at a time, in order,
// and each until handle returned nil for it. A failed message is tried again with
// growing delays, the others wait; after five failures it is a dead letter, and
// the next one comes. The bus remembers under name, which must be the same after a
// restart, what was dealt with: a message is seen twice only where the process
// died before it said so. A new name begins with what the stream holds, a day at
// most. Only messages of the client's own kind are delivered.
//
// Follow returns when ctx is done, or with the error that ended it.
func (c *Client) Follow(ctx context.Context, name string, types []contract.Type, handle func(context.Context, contract.Message) error) error {
	var subjects []string
	for _, t := range types {
		s, ok := contract.Of(t)
		if !ok || s.Stream != contract.StreamSignals {
			return fmt.Errorf("bus: follow %s: no such signal", t)
		}
		subjects = append(subjects, s.Filter())
	}
	slices.Sort(subjects)
	reader := &durableReader{bus: c.bus, stream: contract.StreamSignals, ahead: 1, config: jetstream.ConsumerConfig{
		Durable: c.kind + "-" + name, FilterSubjects: slices.Compact(subjects),
		DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: ackWait, MaxAckPending: 1, MaxDeliver: -1, InactiveThreshold: deadAge,
	}}
	if err := reader.open(ctx); err != nil {
		return err
	}
	defer reader.close()
	for {
		m, err := reader.next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("bus: follow: %w", err)
		}
		c.handle(ctx, m, handle)
	}
}

// handle deals with one signal.
func (c *Client) handle(ctx context.Context, m jetstream.Msg, handle func(context.Context, contract.Message) error) {
	msg, err := decodeWork(m)
	if err != nil {
		c.bus.bury(ctx, m, err)
		return
	}
	if msg.Client == c.kind {
		done := keepAlive(ctx, m)
		err = crash.Caught(func() error { return handle(ctx, msg) })()
		done()
	}
	switch meta, merr := m.Metadata(); {
	case err == nil:
		// What was dealt with is not delivered again because its reader ends.
		settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.bus.opts.AckTimeout)
		defer cancel()
		err = m.DoubleAck(settle)
	case ctx.Err() != nil:
		err = m.Nak()
	case merr == nil && meta.NumDelivered >= attempts:
		c.bus.bury(ctx, m, err)
		return
	case merr == nil:
		err = m.NakWithDelay(c.bus.backoff(int(meta.NumDelivered)))
	}
	if err != nil && ctx.Err() == nil {
		c.bus.opts.Logger.Warn("bus: acknowledge", "subject", m.Subject(), "error", err)
	}
}

// keepAlive says that m is worked on until done is called.
func keepAlive(ctx context.Context, m jetstream.Msg) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(stillWorking)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = m.InProgress() // without a connection the message comes again
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
