package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
	"belay/internal/fault"
)

// Place is where in the source of an output a message comes from: the sequence of
// the session's event, and the position among the messages made of that event.
type Place struct {
	Event int64
	Part  int
}

// Before reports whether p comes before q.
func (p Place) Before(q Place) bool {
	return p.Event < q.Event || p.Event == q.Event && p.Part < q.Part
}

// Outbox publishes the output of one request, in order and each message once. It
// asks the stream where the output stands, so a new one goes on where one of a
// dead process stopped, and of two at the same time none repeats the other. It
// belongs to one goroutine.
type Outbox struct {
	bus     *Bus
	e       contract.Envelope
	last    uint64                 // sequence in the stream of the subject's last message, 0 for none
	place   Place                  // of that message
	end     *contract.ResponseText // the output's end, nil before it
	located bool
}

// NewOutbox is that of a request; e names request, session and client.
func NewOutbox(b *Bus, e contract.Envelope) *Outbox { return &Outbox{bus: b, e: e} }

// Position is that of the output's last message, 0 for none.
func (o *Outbox) Position(ctx context.Context) (int64, error) {
	err := o.locate(ctx)
	return o.e.Seq, err
}

// Ended is the output's end, nil while it has none.
func (o *Outbox) Ended(ctx context.Context) (*contract.ResponseText, error) {
	err := o.locate(ctx)
	return o.end, err
}

// Publish publishes p, unless the output has the message of that place, or its end.
func (o *Outbox) Publish(ctx context.Context, at Place, p contract.Payload) error {
	for {
		if err := o.locate(ctx); err != nil {
			return err
		}
		if o.end != nil || !o.place.Before(at) {
			return nil
		}
		e := o.e
		e.Seq++
		e.ID = fmt.Sprintf("%s:%s:%d.%d", e.Session, e.Request, at.Event, at.Part)
		w, err := contract.Encode(e, p)
		if err != nil {
			return err
		}
		seq, err := o.bus.store(ctx, w, jetstream.WithExpectLastSequencePerSubject(o.last))
		if err == nil {
			o.e.Seq, o.last, o.place = e.Seq, seq, at
			o.end, _ = p.(*contract.ResponseText)
			return nil
		}
		o.located = false // what arrived is found in the stream
		if !errors.Is(err, errNotLast) {
			return err
		}
	}
}

// locate asks the stream for the output's last message.
func (o *Outbox) locate(ctx context.Context) error {
	if o.located {
		return nil
	}
	m, err := o.newest(ctx)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		o.last, o.located = 0, true // none yet, or aged out; then the count goes on
		return nil
	}
	if err != nil && ctx.Err() == nil {
		o.bus.failed(ctx, err)
	}
	if err != nil {
		return unstored(err)
	}
	msg, err := contract.Decode(contract.Wire{Subject: m.Subject, Header: m.Header, Data: m.Data})
	if err != nil {
		return err
	}
	place, err := parsePlace(strings.TrimPrefix(msg.ID, o.e.Session+":"+o.e.Request+":"))
	if err != nil {
		return err
	}
	o.e.Seq, o.last, o.place, o.located = msg.Seq, m.Sequence, place, true
	o.end, _ = msg.Payload.(*contract.ResponseText)
	return nil
}

// newest is the output's last message.
func (o *Outbox) newest(ctx context.Context) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, o.bus.opts.AckTimeout)
	defer cancel()
	s, err := o.bus.js.Stream(ctx, contract.StreamOutput)
	if err != nil {
		return nil, err
	}
	return s.GetLastMsgForSubject(ctx, contract.OutputSubject(o.e.Session, o.e.Request))
}

func parsePlace(s string) (Place, error) {
	event, part, _ := strings.Cut(s, ".")
	e, err := strconv.ParseInt(event, 10, 64)
	p, err2 := strconv.Atoi(part)
	if err := errors.Join(err, err2); err != nil {
		return Place{}, fmt.Errorf("bus: an output has the id %q: %w", s, err)
	}
	return Place{e, p}, nil
}

func unstored(err error) error {
	return fault.New(fault.StorageFailure, "the bus did not say where an output stands: %v", err).
		WithHint("see that the disk has space and that belay serve runs").Because(err)
}
