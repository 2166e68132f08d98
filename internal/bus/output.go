package bus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
)

// Output returns the output of a request after a position (0: from the start), in
// order and each message once, up to and with the [contract.ResponseText] that
// ends it. It waits for what is still to come, also for a request that has not
// begun. It ends early when ctx is done, without an error, or with the error that
// ended it.
//
// A request keeps its output for a day.
func (c *Client) Output(ctx context.Context, session, request string, after int64) iter.Seq2[contract.Message, error] {
	return func(yield func(contract.Message, error) bool) {
		err := c.bus.read(ctx, contract.StreamOutput, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{contract.OutputSubject(session, request)},
			DeliverPolicy:  jetstream.DeliverAllPolicy,
		}, func(m jetstream.Msg) (bool, error) {
			msg, err := decodeWork(m)
			if err != nil || msg.Seq <= after {
				return true, err
			}
			after = msg.Seq
			last := contract.TypeOf(msg.Payload) == contract.TypeResponseText
			return yield(msg, nil) && !last, nil
		})
		if err != nil && ctx.Err() == nil {
			yield(contract.Message{}, fmt.Errorf("bus: output of %s: %w", request, err))
		}
	}
}

// decodeWork decodes a message of a stream of work.
func decodeWork(m jetstream.Msg) (contract.Message, error) {
	return contract.Decode(contract.Wire{Subject: m.Subject(), Header: m.Headers(), Data: m.Data()})
}

// How a consumer is read: so many messages are asked for at once. An idle server says as
// often that it is there, and two missing heartbeats renew the consumer.
const (
	readAhead = 256
	heartbeat = 2 * time.Second
	// pollLimit is the longest that a reader waits before it looks after its context again.
	pollLimit = 30 * time.Second
)

func next(ctx context.Context, msgs jetstream.MessagesContext) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	return msgs.Next(jetstream.NextContext(ctx))
}

// read passes the messages of an ordered consumer to fn until fn returns false or
// an error, or ctx is done. It survives reconnects and restarts of the server.
func (b *Bus) read(ctx context.Context, stream string, cfg jetstream.OrderedConsumerConfig, fn func(jetstream.Msg) (bool, error)) error {
	cons, err := b.ordered(ctx, stream, cfg)
	if err != nil {
		return err
	}
	msgs, err := cons.Messages(jetstream.PullMaxMessages(readAhead), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer msgs.Stop()
	// Messages wait without a deadline of their own: with one for each message, a reader
	// of many would spend a tenth of its time on these.
	defer context.AfterFunc(ctx, msgs.Stop)()
	for {
		m, err := msgs.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, nats.ErrTimeout) {
			continue
		}
		if err != nil {
			return err
		}
		if more, err := fn(m); !more || err != nil {
			return err
		}
	}
}

// ordered makes an ordered consumer. A server that is replaced meanwhile never answers, so
// it is asked several times.
func (b *Bus) ordered(ctx context.Context, stream string, cfg jetstream.OrderedConsumerConfig) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	for {
		asking, stop := context.WithTimeout(ctx, openTimeout/askings)
		cons, err := b.js.OrderedConsumer(asking, stream, cfg)
		stop()
		var answer *jetstream.APIError
		if err == nil || errors.As(err, &answer) || ctx.Err() != nil || b.nc.IsClosed() {
			return cons, err
		}
		pause(ctx, openTimeout/askings/20)
	}
}

// askings is how often a server is asked for a consumer that does not answer.
const askings = 6
