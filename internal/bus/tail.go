package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
)

// Traffic is a message as a person who watches the bus sees it.
type Traffic struct {
	Time time.Time `json:"time"`
	// Stream and Sequence are its place, "" and 0 of a question that no stream keeps.
	Stream   string `json:"stream,omitempty"`
	Sequence uint64 `json:"sequence,omitempty"`
	Subject  string `json:"subject"`
	Type     string `json:"type"`
	Request  string `json:"request,omitempty"`
	Session  string `json:"session,omitempty"`
	Client   string `json:"client,omitempty"`
	Seq      int64  `json:"seq,omitempty"`
	Bytes    int    `json:"bytes"`
	// Payload is the content, where it is JSON.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Problem says why the message breaks the contract.
	Problem string `json:"problem,omitempty"`
}

// TailOptions choose what [Bus.Tail] returns.
type TailOptions struct {
	// Since is when to begin; zero is now. Requests and questions are shown from now
	// on only.
	Since time.Time
	// Session, where it is set, begins the session of all messages, and Request is their request.
	Session, Request string
}

// Tail returns the traffic of the bus as it comes: the messages of all streams, and
// requests and questions to the worker. Messages of one stream are in order. It ends when
// outer is done, without an error, or with the error that ended it. Nobody notices the
// reader.
func (b *Bus) Tail(outer context.Context, o TailOptions) iter.Seq2[Traffic, error] {
	return func(yield func(Traffic, error) bool) {
		ctx, cancel := context.WithCancelCause(outer)
		traffic := make(chan Traffic)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel(nil)
		pass := func(t Traffic) bool {
			if !strings.HasPrefix(t.Session, o.Session) || o.Request != "" && t.Request != o.Request {
				return true
			}
			select {
			case traffic <- t:
				return true
			case <-ctx.Done():
				return false
			}
		}
		// A work queue gives each message to one consumer, so requests are not among these.
		for _, name := range []string{contract.StreamOutput, contract.StreamSignals, contract.StreamDead} {
			running.Go(func() {
				if err := b.tailStream(ctx, name, o.Since, pass); err != nil && ctx.Err() == nil {
					cancel(fmt.Errorf("bus: tail %s: %w", name, err))
				}
			})
		}
		stop, err := b.tailCommands(pass)
		if err != nil {
			yield(Traffic{}, err)
			return
		}
		defer stop()
		for {
			select {
			case t := <-traffic:
				if !yield(t, nil) {
					return
				}
			case <-ctx.Done():
				if err := context.Cause(ctx); outer.Err() == nil {
					yield(Traffic{}, err)
				}
				return
			}
		}
	}
}

// tailStream passes the messages of a stream.
func (b *Bus) tailStream(ctx context.Context, name string, since time.Time, pass func(Traffic) bool) error {
	cfg := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverNewPolicy}
	if !since.IsZero() {
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &since
	}
	return b.read(ctx, name, cfg, func(m jetstream.Msg) (bool, error) {
		t := trafficOf(m.Subject(), m.Headers(), m.Data())
		if meta, err := m.Metadata(); err == nil {
			t.Time, t.Stream, t.Sequence = meta.Timestamp, meta.Stream, meta.Sequence.Stream
		}
		return pass(t), nil
	})
}

// tailCommands passes requests and questions as they are published.
func (b *Bus) tailCommands(pass func(Traffic) bool) (stop func(), err error) {
	var subs []*nats.Subscription
	stop = func() {
		for _, s := range subs {
			_ = s.Unsubscribe() // the connection may be closed
		}
	}
	for _, s := range contract.Specs() {
		if s.Filter() == "" || s.Stream != "" && s.Stream != contract.StreamRequests {
			continue
		}
		sub, err := b.nc.Subscribe(s.Filter(), func(m *nats.Msg) {
			t := trafficOf(m.Subject, m.Header, m.Data)
			t.Time = time.Now().UTC()
			pass(t)
		})
		if err != nil {
			stop()
			return nil, fmt.Errorf("bus: tail: %w", err)
		}
		subs = append(subs, sub)
	}
	return stop, nil
}

func trafficOf(subject string, header nats.Header, data []byte) Traffic {
	h := textproto.MIMEHeader(header)
	t := Traffic{
		Subject: subject, Type: h.Get(contract.HeaderType), Request: h.Get(contract.HeaderRequest), Session: h.Get(contract.HeaderSession),
		Client: h.Get(contract.HeaderClient), Bytes: len(data),
	}
	t.Seq, _ = strconv.ParseInt(h.Get(contract.HeaderSeq), 10, 64)
	if json.Valid(data) {
		t.Payload = slices.Clone(data)
	}
	if strings.HasPrefix(subject, deadPrefix) {
		var d DeadLetter
		_ = json.Unmarshal(data, &d) // a letter that cannot be read is shown as it is
		t.Type, t.Request, t.Session, t.Client = "dead letter", d.Request, d.Session, d.Client
		return t
	}
	if _, err := contract.Decode(contract.Wire{Subject: subject, Header: header, Data: data}); err != nil {
		t.Problem = contract.Cut(err.Error(), maxEvidence)
	}
	return t
}
