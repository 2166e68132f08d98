package bus

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
	"belay/internal/fault"
)

// Publish stores a message in its stream. After nil it is stored, once, however
// often it is published with the id in its envelope. A message that breaks the
// contract is INVALID_REQUEST, a full queue of requests OVERLOADED. Everything
// else that keeps the stream from storing it is STORAGE_FAILURE: the caller may
// publish again with the same id.
func (b *Bus) Publish(ctx context.Context, e contract.Envelope, p contract.Payload) error {
	w, err := contract.Encode(e, p)
	if err != nil {
		return err
	}
	_, err = b.store(ctx, w)
	return err
}

// store publishes a message of a stream and returns its place there.
func (b *Bus) store(ctx context.Context, w contract.Wire, opts ...jetstream.PublishOpt) (uint64, error) {
	msg := &nats.Msg{Subject: w.Subject, Header: w.Header, Data: w.Data}
	// A store that has failed once does not answer: the caller's patience is not the bus's.
	attempt, cancel := context.WithTimeout(ctx, b.opts.AckTimeout)
	defer cancel()
	ack, err := b.js.PublishMsg(attempt, msg, append(opts, jetstream.WithRetryAttempts(0))...)
	if err == nil {
		b.health.succeeded()
		return ack.Sequence, nil
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if r := refusal(err); r != nil {
		return 0, r // the stream is well
	}
	b.failed(ctx, err)
	return 0, fault.New(fault.StorageFailure, "the bus did not store the message: %v", err).
		WithHint("see that the disk has space and that belay serve runs").Because(err)
}

// errNotLast is the error of a message that was to follow another one than the
// last of its subject.
var errNotLast = errors.New("the subject has got another message")

// refusal is the error of a message that a stream refused by its own rules, nil
// for everything else.
func refusal(err error) error {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return nil
	}
	switch {
	case api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return errNotLast
	case strings.HasSuffix(api.Description, "maximum messages exceeded"), strings.HasSuffix(api.Description, "maximum bytes exceeded"):
		return fault.New(fault.Overloaded, "%d requests, or 64 MiB of them, wait for an answer already", maxRequests).
			WithHint("wait until some are answered").Because(err)
	}
	return nil
}
