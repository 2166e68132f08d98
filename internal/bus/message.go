package bus

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"belay/internal/event"
)

// The headers of a message, beside the message id.
const (
	// HeaderEvent is the event's name on the bus ([event.Spec.Bus]).
	HeaderEvent = "Belay-Event"
	// HeaderSession, HeaderTurn and HeaderSeq correlate the message without a
	// look at its payload.
	HeaderSession = "Belay-Session"
	HeaderTurn    = "Belay-Turn"
	HeaderSeq     = "Belay-Seq"
	// HeaderOmitted is the size in bytes of the event's data when it was too
	// large for a message and was left out: the reader asks for the event
	// from the log.
	HeaderOmitted = "Belay-Omitted"
)

const headerMsgID = "Nats-Msg-Id"

// headerRoom is kept free of a server's payload limit for the headers.
const headerRoom = 4 << 10

// Message is an event as it arrives from the bus.
type Message struct {
	Session string
	// Name is the event's name on the bus, e.g. "evt.agent.output.delta.text".
	Name  string
	Event event.Event
	// Omitted is the size of the event's data when the message does not hold
	// it, else 0.
	Omitted int64
}

// busNames maps an event type to its name on the bus. A type without one is
// not carried.
func busNames() map[event.Type]string {
	names := make(map[event.Type]string)
	for _, s := range event.Types() {
		if s.Bus != "" {
			names[s.Type] = s.Bus
		}
	}
	return names
}

// draft is a message about to be published.
type draft struct {
	session string
	name    string
	turn    string
	seq     int64
	omitted int
	payload []byte
}

// newDraft encodes ev for the bus; limit is the server's largest payload.
func newDraft(session, name string, ev event.Event, limit int64) draft {
	d := draft{session: session, name: name, turn: ev.Turn, seq: ev.Seq}
	const frame = 160 // of most events, their data apart
	if int64(len(ev.Data)) <= limit-headerRoom {
		d.payload = ev.AppendJSON(make([]byte, 0, frame+len(ev.Data)))
	}
	if d.payload == nil || int64(len(d.payload)) > limit-headerRoom {
		d.omitted = len(ev.Data)
		ev.Data = nil
		d.payload = ev.AppendJSON(make([]byte, 0, frame))
	}
	return d
}

// size is about what the message weighs in a batch.
func (d draft) size() int { return len(d.payload) + 256 }

// fill writes d into m, whose header map is reused from message to message:
// the client has encoded it before PublishMsg returns.
func (d draft) fill(m *nats.Msg) {
	m.Subject = Subject(d.session)
	m.Data = d.payload
	if m.Header == nil {
		m.Header = make(nats.Header, 6)
	}
	set := func(key, value string) {
		if v := m.Header[key]; len(v) == 1 {
			v[0] = value
			return
		}
		m.Header[key] = []string{value}
	}
	set(headerMsgID, messageID(d.session, d.seq))
	set(HeaderEvent, d.name)
	set(HeaderSession, d.session)
	set(HeaderTurn, d.turn)
	set(HeaderSeq, strconv.FormatInt(d.seq, 10))
	delete(m.Header, HeaderOmitted)
	if d.omitted > 0 {
		set(HeaderOmitted, strconv.Itoa(d.omitted))
	}
}

// decode reads a message of the stream. The stream may be fed by others, so
// what does not fit together is an error.
func decode(subject string, header nats.Header, data []byte) (Message, error) {
	session, ok := strings.CutPrefix(subject, subjectPrefix)
	if !ok || session == "" {
		return Message{}, fmt.Errorf("bus: message on subject %q", subject)
	}
	m := Message{Session: session, Name: header.Get(HeaderEvent)}
	if err := json.Unmarshal(data, &m.Event); err != nil {
		return Message{}, fmt.Errorf("bus: message %q: %w", header.Get(headerMsgID), err)
	}
	if id := header.Get(headerMsgID); id != messageID(session, m.Event.Seq) {
		return Message{}, fmt.Errorf("bus: message id %q on %s does not match sequence %d", id, subject, m.Event.Seq)
	}
	if o := header.Get(HeaderOmitted); o != "" {
		n, err := strconv.ParseInt(o, 10, 64)
		if err != nil || n < 0 {
			return Message{}, fmt.Errorf("bus: message %q: omitted %q bytes", header.Get(headerMsgID), o)
		}
		m.Omitted = n
		m.Event.Data = nil
	}
	return m, nil
}
