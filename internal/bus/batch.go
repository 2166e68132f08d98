package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// errNoAck means that the stream did not confirm a batch in time: it may have
// stored all, some or none of it.
var errNoAck = errors.New("the stream did not confirm the batch in time")

// lane publishes batches, one at a time, over JetStream's batch protocol (NATS
// server 2.14, "fast ingest"): every message names its batch, its place in it
// and the operation in its reply subject,
//
//	<inbox>.<batch>.<flow>.fail.<place>.<operation>.$FI
//
// and the server answers the last one with how many it has stored. "fail"
// makes it stop at the first message that it could not store, so what is
// stored is always a prefix of the batch. The Go client has no call for this
// protocol, hence these lines.
//
// A lane belongs to one goroutine.
type lane struct {
	nc      *nats.Conn
	sub     *nats.Subscription
	replies chan *nats.Msg
	inbox   string
	id      string
	batches uint64
	scratch nats.Msg
	// drafts and owners are the room of a batch; see Publisher.batch.
	drafts []draft
	owners []*task
}

// The operations of the batch protocol.
const (
	opStart  = "0"
	opAppend = "1"
	opCommit = "2"
)

// batchMessages and batchBytes bound a batch and with it what is in flight.
// The server confirms every 500 messages at most, so a batch below that gets
// one answer at its start and one at its end.
const (
	batchMessages = 256
	batchBytes    = 1 << 20
)

func newLane(nc *nats.Conn) (*lane, error) {
	l := &lane{nc: nc, inbox: nc.NewInbox(), id: nuid.Next(), replies: make(chan *nats.Msg, 2*batchMessages)}
	var err error
	if l.sub, err = nc.ChanSubscribe(l.inbox+".>", l.replies); err != nil {
		return nil, fmt.Errorf("bus: subscribe to confirmations: %w", err)
	}
	return l, nil
}

// close ends the lane's subscription. On a closed connection there is none.
func (l *lane) close() error {
	if err := l.sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

// publish sends batch and waits for the answer. The first stored messages of
// the batch are in the stream; err says why the others are not. An [errNoAck]
// leaves open whether more are.
func (l *lane) publish(ctx context.Context, batch []draft, timeout time.Duration) (stored int, err error) {
	l.batches++
	// The server knows a batch by this one token, whoever sends it: it must be
	// unique among all clients of the stream.
	prefix := l.inbox + "." + l.id + "-" + strconv.FormatUint(l.batches, 10) + "."
	common := prefix + strconv.Itoa(batchMessages+1) + ".fail."
	for i, d := range batch {
		op := opAppend
		switch i {
		case len(batch) - 1:
			op = opCommit
		case 0:
			op = opStart
		}
		d.fill(&l.scratch)
		l.scratch.Reply = common + strconv.Itoa(i+1) + "." + op + ".$FI"
		if err := l.nc.PublishMsg(&l.scratch); err != nil {
			return 0, fmt.Errorf("bus: publish: %w", err)
		}
	}
	return l.await(ctx, prefix, len(batch), timeout)
}

// await reads answers until the one that ends the batch.
func (l *lane) await(ctx context.Context, prefix string, n int, timeout time.Duration) (int, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var cause error
	for {
		select {
		case m := <-l.replies:
			if !strings.HasPrefix(m.Subject, prefix) {
				continue // late, of a batch that was given up
			}
			a, err := parseAnswer(m)
			if err != nil {
				return 0, err
			}
			if a.Error != nil {
				cause = a.Error
			}
			if !a.final() {
				continue
			}
			if a.Count < n && cause == nil {
				cause = errors.New("a message of the batch was lost on the way")
			}
			if cause != nil {
				return min(a.Count, n), fmt.Errorf("bus: publish: %w", cause)
			}
			return n, nil
		case <-timer.C:
			return 0, fmt.Errorf("bus: publish: %w", errNoAck)
		case <-ctx.Done():
			return 0, fmt.Errorf("bus: publish: %w", ctx.Err())
		}
	}
}

// answer is what the server sends about a batch: progress (Type is ack, gap or
// err) or, without a type, the end.
type answer struct {
	Type  string       `json:"type"`
	Count int          `json:"count"`
	Error *streamError `json:"error"`
}

// streamError is JetStream's error object.
type streamError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *streamError) Error() string {
	return fmt.Sprintf("%s (%d)", e.Description, e.ErrCode)
}

func (a answer) final() bool { return a.Type == "" }

func parseAnswer(m *nats.Msg) (answer, error) {
	if len(m.Data) == 0 {
		if m.Header.Get("Status") == "503" {
			return answer{}, fmt.Errorf("bus: publish: %w", nats.ErrNoResponders)
		}
		return answer{}, errors.New("bus: publish: empty confirmation")
	}
	var a answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return answer{}, fmt.Errorf("bus: publish: confirmation: %w", err)
	}
	if a.Count < 0 {
		return answer{}, fmt.Errorf("bus: publish: confirmation of %d messages", a.Count)
	}
	return a, nil
}
