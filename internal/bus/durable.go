package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// durableReader reads from a durable consumer. Where that is gone, because somebody
// removed the store of the server, the reader makes it anew.
type durableReader struct {
	bus    *Bus
	stream string
	config jetstream.ConsumerConfig
	ahead  int // messages that are asked for at once

	consumer jetstream.Consumer
	messages jetstream.MessagesContext
}

// open makes the consumer, or takes it up.
func (d *durableReader) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	c, err := d.bus.js.CreateOrUpdateConsumer(ctx, d.stream, d.config)
	if err != nil {
		return fmt.Errorf("bus: consumer %s: %w", d.config.Durable, err)
	}
	m, err := c.Messages(jetstream.PullMaxMessages(d.ahead), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return fmt.Errorf("bus: consumer %s: %w", d.config.Durable, err)
	}
	d.close()
	d.consumer, d.messages = c, m
	return nil
}

func (d *durableReader) close() {
	if d.messages != nil {
		d.messages.Stop()
	}
}

// next waits for a message. The error is ctx's, or that of a bus that was closed.
func (d *durableReader) next(ctx context.Context) (jetstream.Msg, error) {
	for {
		m, err := next(ctx, d.messages)
		switch {
		case err == nil:
			return m, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
			continue // nothing came
		case d.bus.nc.IsClosed():
			return nil, err
		}
		if err := d.repair(ctx, err); err != nil && ctx.Err() == nil {
			d.bus.opts.Logger.Warn("bus: a reader waits for the server", "consumer", d.config.Durable, "error", err)
			pause(ctx, d.bus.opts.AckTimeout/4)
		}
	}
}

// repair makes the consumer anew where it is gone.
func (d *durableReader) repair(ctx context.Context, why error) error {
	asking, cancel := context.WithTimeout(ctx, d.bus.opts.AckTimeout)
	defer cancel()
	_, err := d.consumer.Info(asking)
	if err == nil && !errors.Is(why, jetstream.ErrMsgIteratorClosed) {
		return nil // it is there, and goes on by itself
	}
	if err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return d.open(ctx)
	}
	return err
}
