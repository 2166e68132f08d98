package bus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"belay/internal/bus/contract"
)

// DeadLetter is the evidence of a message that could not be dealt with. It has
// nothing of the message's text.
type DeadLetter struct {
	Stream     string    `json:"stream"`
	Sequence   uint64    `json:"sequence"`
	Subject    string    `json:"subject"`
	Type       string    `json:"type,omitempty"`
	Request    string    `json:"request,omitempty"`
	Session    string    `json:"session,omitempty"`
	Client     string    `json:"client,omitempty"`
	Deliveries uint64    `json:"deliveries"`
	Bytes      int       `json:"bytes"`
	SHA256     string    `json:"sha256"`
	Error      string    `json:"error"`
	Time       time.Time `json:"time"`
}

// maxEvidence bounds each text of a dead letter, in bytes.
const maxEvidence = 300

// bury makes a dead letter of m and takes it out of its stream, in this order: a
// message whose evidence cannot be stored stays, and comes again.
func (b *Bus) bury(ctx context.Context, m jetstream.Msg, why error) {
	meta, err := m.Metadata()
	if err != nil {
		b.opts.Logger.Error("bus: dead letter", "error", err)
		return
	}
	cut := func(s string) string { return contract.Cut(s, maxEvidence) }
	header := func(name string) string { return cut(m.Headers().Get(name)) }
	sum := sha256.Sum256(m.Data())
	data, err := json.Marshal(DeadLetter{
		Stream: meta.Stream, Sequence: meta.Sequence.Stream, Subject: cut(m.Subject()), Type: header(contract.HeaderType),
		Request: header(contract.HeaderRequest), Session: header(contract.HeaderSession), Client: header(contract.HeaderClient),
		Deliveries: meta.NumDelivered, Bytes: len(m.Data()), SHA256: hex.EncodeToString(sum[:]), Error: cut(why.Error()), Time: time.Now().UTC(),
	})
	if err != nil {
		b.opts.Logger.Error("bus: dead letter", "error", err)
		return
	}
	place := meta.Stream + "." + meta.Consumer + "." + strconv.FormatUint(meta.Sequence.Stream, 10)
	_, err = b.js.PublishMsg(ctx, &nats.Msg{Subject: deadPrefix + meta.Stream, Data: data, Header: nats.Header{contract.HeaderID: {place}}})
	if err == nil {
		err = m.TermWithReason("dead letter")
	}
	b.opts.Logger.Error("bus: a message could not be dealt with", "subject", m.Subject(), "reason", why, "error", err)
}
