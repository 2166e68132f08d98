package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"belay/internal/bus/contract"
)

// RenewLink asks the surfaces of a kind for the present address of a file that a person
// sent. NOT_FOUND says that the file is gone, OVERLOADED that no such surface runs.
func (b *Bus) RenewLink(ctx context.Context, client, id string) (string, error) {
	var r contract.LinkRenewed
	err := b.ask(ctx, contract.Envelope{Client: client}, &contract.LinkRenew{ID: id}, &r)
	return r.URL, err
}

// Renewals has renew answer [Bus.RenewLink] for surfaces of the client's kind, until its
// stop is called, which waits for answers under way.
func (c *Client) Renewals(renew func(ctx context.Context, id string) (string, error)) (stop func() error, err error) {
	spec, _ := contract.Of(contract.TypeLinkRenew)
	subject := spec.Subject(contract.Envelope{Client: c.kind})
	return c.bus.answer(renewer(renew), c.kind, subject)
}

// renewer answers questions for addresses.
type renewer func(ctx context.Context, id string) (string, error)

// Reply implements [Replier].
func (r renewer) Reply(ctx context.Context, m contract.Message) (contract.Payload, error) {
	p, ok := m.Payload.(*contract.LinkRenew)
	if !ok {
		return nil, fmt.Errorf("bus: nobody answers %s", contract.TypeOf(m.Payload))
	}
	address, err := r(ctx, p.ID)
	return &contract.LinkRenewed{URL: address}, err
}

// answer answers the questions of subjects with r until its stop is called. Of the
// processes with the same group one gets each question.
func (b *Bus) answer(r Replier, group string, subjects ...string) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var (
		subs    []*nats.Subscription
		running sync.WaitGroup
		slots   = make(chan struct{}, maxAnswering)
	)
	stop = func() error {
		var errs error
		for _, s := range subs {
			if err := s.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
				errs = errors.Join(errs, fmt.Errorf("bus: %w", err))
			}
		}
		cancel()
		running.Wait()
		return errs
	}
	for _, subject := range subjects {
		sub, err := b.nc.QueueSubscribe(subject, group, func(msg *nats.Msg) {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				b.reply(ctx, r, msg)
			})
		})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("bus: answer %s: %w", subject, err), stop())
		}
		subs = append(subs, sub)
	}
	if err := b.nc.FlushTimeout(askTimeout); err != nil { // now a question finds who answers it
		return nil, errors.Join(fmt.Errorf("bus: answer questions: %w", err), stop())
	}
	return stop, nil
}
