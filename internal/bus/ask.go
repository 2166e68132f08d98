package bus

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go"

	"belay/internal/bus/contract"
	"belay/internal/crash"
	"belay/internal/fault"
)

// askTimeout bounds a question to the worker whose context has no earlier end.
const askTimeout = 10 * time.Second

// startPatience is how long a question waits for a worker that has not begun yet: the
// bus is there a moment before it.
const startPatience = 3 * time.Second

// ask sends a request and decodes its reply into reply. The worker's own refusal
// is a *fault.Error of its type.
func (b *Bus) ask(ctx context.Context, e contract.Envelope, p, reply contract.Payload) error {
	w, err := contract.Encode(e, p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request := &nats.Msg{Subject: w.Subject, Header: w.Header, Data: w.Data}
	msg, err := b.nc.RequestMsgWithContext(ctx, request)
	for begun := time.Now(); errors.Is(err, nats.ErrNoResponders) && time.Since(begun) < startPatience && ctx.Err() == nil; {
		pause(ctx, reconnectWait)
		msg, err = b.nc.RequestMsgWithContext(ctx, request)
	}
	if err != nil {
		return fault.New(fault.Overloaded, "nobody answers %s on the bus: %v", contract.TypeOf(p), err).
			WithHint("see that belay serve runs, and try again").Because(err)
	}
	m, err := contract.Decode(contract.Wire{Header: msg.Header, Data: msg.Data})
	if err != nil {
		return err
	}
	return assign(m.Payload, reply)
}

// assign copies what arrived into the reply that was asked for.
func assign(got, reply contract.Payload) error {
	if f, ok := got.(*contract.Failure); ok {
		return f.Fault()
	}
	if reflect.TypeOf(got) != reflect.TypeOf(reply) {
		return fmt.Errorf("bus: the reply is %s, not %s", contract.TypeOf(got), contract.TypeOf(reply))
	}
	reflect.ValueOf(reply).Elem().Set(reflect.ValueOf(got).Elem())
	return nil
}

// maxAnswering is how many questions are answered at once.
const maxAnswering = 32

// Replier answers the questions of surfaces. Replies come from several
// goroutines.
type Replier interface {
	// Reply answers one question. An error becomes a [contract.Failure].
	Reply(ctx context.Context, m contract.Message) (contract.Payload, error)
}

// Replies answers questions with r until its stop is called, which waits for
// those under way. Several processes may answer; each question goes to one.
func (b *Bus) Replies(r Replier) (stop func() error, err error) {
	var subjects []string
	for _, s := range contract.Specs() {
		if s.Scope == contract.Plain {
			subjects = append(subjects, s.Filter())
		}
	}
	return b.answer(r, workerName, subjects...)
}

// reply answers one question.
func (b *Bus) reply(ctx context.Context, r Replier, msg *nats.Msg) {
	if msg.Reply == "" {
		return
	}
	m, err := contract.Decode(contract.Wire{Subject: msg.Subject, Header: msg.Header, Data: msg.Data})
	var p contract.Payload
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		err = crash.Caught(func() (err error) {
			p, err = r.Reply(ctx, m)
			return err
		})()
		if crashed := (*crash.Error)(nil); errors.As(err, &crashed) {
			b.opts.Logger.Error("bus: a question could not be answered", "subject", msg.Subject, "error", err)
		}
	}
	var w contract.Wire
	if err == nil {
		w, err = contract.Encode(contract.Envelope{Session: m.Session, Request: m.Request}, p)
	}
	if err != nil {
		if w, err = contract.Encode(contract.Envelope{}, contract.FailureOf(err)); err != nil {
			b.opts.Logger.Error("bus: reply", "error", err)
			return
		}
	}
	if err := b.nc.PublishMsg(&nats.Msg{Subject: msg.Reply, Header: w.Header, Data: w.Data}); err != nil {
		b.opts.Logger.Warn("bus: reply", "error", err)
	}
}
