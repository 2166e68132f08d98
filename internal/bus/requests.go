package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
)

// workerName is the name of the consumer that all workers share.
const workerName = "belay-worker"

// Delivery is a request on its way to a worker, perhaps not for the first time: what was
// begun then must be found, not begun again. Exactly one of Done, Release and Bury ends it.
// Until then the worker calls Working, or the request is delivered again.
type Delivery struct {
	contract.Message

	bus *Bus
	msg jetstream.Msg
}

// Request is the payload.
func (d *Delivery) Request() *contract.RequestMessage {
	m, _ := d.Payload.(*contract.RequestMessage)
	return m
}

// Working says that the request is still worked on.
func (d *Delivery) Working() error { return d.msg.InProgress() }

// Done takes the request out of the stream.
func (d *Delivery) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.bus.opts.AckTimeout)
	defer cancel()
	return d.msg.DoubleAck(ctx)
}

// Release has the request delivered again at once, to the next worker.
func (d *Delivery) Release() error { return d.msg.Nak() }

// Bury makes a dead letter of the request.
func (d *Delivery) Bury(ctx context.Context, why error) { d.bus.bury(ctx, d.msg, why) }

// StillWorking is how often [Delivery.Working] must be called.
const StillWorking = stillWorking

// Requests delivers requests to take, in the order in which they were stored, until
// its stop is called. take must not block. What breaks the contract becomes a dead
// letter and is not delivered. The bus must not be closed before.
func (b *Bus) Requests(ctx context.Context, take func(*Delivery)) (stop func(), err error) {
	if err := b.takeUp(ctx); err != nil {
		return nil, fmt.Errorf("bus: take requests: %w", err)
	}
	reader := &durableReader{bus: b, stream: contract.StreamRequests, ahead: readAhead, config: jetstream.ConsumerConfig{
		Durable: workerName, DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		// All may be under way at once, or an interrupt would wait behind prompts.
		AckWait: ackWait, MaxAckPending: maxRequests, MaxDeliver: -1,
	}}
	if err := reader.open(ctx); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer reader.close()
		for {
			m, err := reader.next(life)
			if life.Err() != nil {
				return
			}
			if err != nil {
				b.opts.Logger.Error("bus: no more requests are taken", "error", err)
				return
			}
			b.deliver(life, m, take)
		}
	}()
	return func() {
		end()
		<-over
	}, nil
}

// deliver passes a request on.
func (b *Bus) deliver(ctx context.Context, m jetstream.Msg, take func(*Delivery)) {
	msg, err := decodeWork(m)
	if err != nil {
		ctx, cancel := context.WithTimeout(ctx, b.opts.AckTimeout)
		defer cancel()
		b.bury(ctx, m, err)
		return
	}
	take(&Delivery{Message: msg, bus: b, msg: m})
}

// takeUp takes over from the worker before this one. The embedded server has one worker:
// what another one held, its process is dead. Its consumer goes with it, so that all
// requests are delivered at once and in order, not after [ackWait] and behind newer ones.
func (b *Bus) takeUp(ctx context.Context) error {
	if b.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	s, err := b.js.Stream(ctx, contract.StreamRequests)
	if err != nil {
		return err
	}
	if err := s.DeleteConsumer(ctx, workerName); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	return nil
}

// Waiting is how many requests wait or are under way.
func (b *Bus) Waiting(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, b.opts.AckTimeout)
	defer cancel()
	s, err := b.js.Stream(ctx, contract.StreamRequests)
	if err != nil {
		return 0, fmt.Errorf("bus: requests: %w", err)
	}
	return int(s.CachedInfo().State.Msgs), nil
}
