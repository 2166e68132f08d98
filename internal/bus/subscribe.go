package bus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pollLimit is the longest that a subscription waits before it looks after its
// context again; heartbeat is how often an idle server says that it is there,
// two missing ones renew the consumer.
const (
	pollLimit = 30 * time.Second
	heartbeat = 2 * time.Second
)

// Messages returns the session's messages after a sequence, those that the
// stream holds and then those to come, in order and each once. It ends when
// ctx is done, without an error, or with the error that ended it. Once begun
// it survives reconnects and restarts of the server.
//
// The first sequence is greater than after+1 when older messages have aged
// out; the reader asks the log for them.
func (b *Bus) Messages(ctx context.Context, session string, after int64) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		err := b.follow(ctx, session, after, func(m Message) bool { return yield(m, nil) })
		if err != nil && ctx.Err() == nil {
			yield(Message{}, fmt.Errorf("bus: messages of %s: %w", session, err))
		}
	}
}

// follow passes messages to fn until it returns false or an error ends it.
func (b *Bus) follow(ctx context.Context, session string, after int64, fn func(Message) bool) error {
	msgs, err := b.consume(ctx, session)
	if err != nil {
		return err
	}
	defer msgs.Stop()
	for {
		m, err := next(ctx, msgs)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		if err != nil {
			return err
		}
		msg, err := decode(m.Subject(), m.Headers(), m.Data())
		if err != nil {
			return err
		}
		if msg.Event.Seq <= after {
			continue // asked for without, or seen before
		}
		if !fn(msg) {
			return nil
		}
		after = msg.Event.Seq
	}
}

// consume starts an ordered consumer on the session's subject.
func (b *Bus) consume(ctx context.Context, session string) (jetstream.MessagesContext, error) {
	ctx, cancel := context.WithTimeout(ctx, b.opts.AckTimeout)
	defer cancel()
	cons, err := b.js.OrderedConsumer(ctx, Stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{Subject(session)},
		DeliverPolicy:  jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return nil, err
	}
	return cons.Messages(jetstream.PullMaxMessages(batchMessages), jetstream.PullHeartbeat(heartbeat))
}

func next(ctx context.Context, msgs jetstream.MessagesContext) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	return msgs.Next(jetstream.NextContext(ctx))
}
