package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"unicode/utf8"

	"belay/internal/fault"
)

// Headers of a message, beside those of NATS.
const (
	HeaderType    = "Belay-Type"
	HeaderVersion = "Belay-Version"
	HeaderRequest = "Belay-Request"
	HeaderSession = "Belay-Session"
	HeaderClient  = "Belay-Client"
	HeaderSeq     = "Belay-Seq"
	// HeaderID is the id by which a stream knows a repetition.
	HeaderID = "Nats-Msg-Id"
)

// Wire is a message as NATS carries it.
type Wire struct {
	// Subject is "" for a reply: it goes to the subject that the asker chose.
	Subject string
	Header  map[string][]string
	Data    []byte
}

// Message is a message that was decoded.
type Message struct {
	Envelope
	Payload Payload
}

// Encode checks a message and gives it its wire form. The error is a
// fault.InvalidRequest that names every problem.
func Encode(e Envelope, p Payload) (Wire, error) {
	s, ok := specs[TypeOf(p)]
	if !ok {
		return Wire{}, unknown(TypeOf(p))
	}
	if err := s.validate(e, p); err != nil {
		return Wire{}, err
	}
	data, err := json.Marshal(p)
	if err != nil {
		return Wire{}, fmt.Errorf("bus: encode %s: %w", s.Type, err)
	}
	if len(data) > s.MaxBytes {
		return Wire{}, s.tooLarge(len(data))
	}
	h := map[string][]string{HeaderType: {string(s.Type)}, HeaderVersion: {strconv.Itoa(Version)}}
	for name, value := range map[string]string{
		HeaderID: e.ID, HeaderRequest: e.Request, HeaderSession: e.Session, HeaderClient: e.Client,
	} {
		if value != "" {
			h[name] = []string{value}
		}
	}
	if e.Seq > 0 {
		h[HeaderSeq] = []string{strconv.FormatInt(e.Seq, 10)}
	}
	return Wire{Subject: s.Subject(e), Header: h, Data: data}, nil
}

// Decode reads a message that arrived. It refuses what [Encode] would not have
// made. The subject is that of the message, "" for a reply.
func Decode(w Wire) (Message, error) {
	header := textproto.MIMEHeader(w.Header)
	t := Type(header.Get(HeaderType))
	s, ok := specs[t]
	if !ok {
		return Message{}, unknown(t)
	}
	if v := header.Get(HeaderVersion); v != strconv.Itoa(Version) {
		return Message{}, fault.New(fault.InvalidRequest, "%s has the version %.20q; this program reads %d", t, v, Version).
			WithHint("run the same version of belay on both sides of the bus")
	}
	m := Message{Envelope: Envelope{
		ID: header.Get(HeaderID), Request: header.Get(HeaderRequest),
		Session: header.Get(HeaderSession), Client: header.Get(HeaderClient),
	}}
	if v := header.Get(HeaderSeq); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 || strconv.FormatInt(n, 10) != v {
			return Message{}, fault.New(fault.InvalidRequest, "%s has the position %.20q", t, v)
		}
		m.Seq = n
	}
	if len(w.Data) > s.MaxBytes {
		return Message{}, s.tooLarge(len(w.Data))
	}
	m.Payload = s.Sample()
	if err := strict(w.Data, m.Payload); err != nil {
		return Message{}, fault.New(fault.InvalidRequest, "%s: %v", t, err).Because(err)
	}
	if err := s.validate(m.Envelope, m.Payload); err != nil {
		return Message{}, err
	}
	if want := s.Subject(m.Envelope); w.Subject != want && s.Scope != Reply {
		return Message{}, fault.New(fault.InvalidRequest, "%s came on the subject %q, not on %q", t, fault.Clip(w.Subject), want)
	}
	return m, nil
}

// strict decodes one JSON object without unknown members.
func strict(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("the payload is not UTF-8")
	}
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("the payload is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// validate checks envelope and payload together.
func (s Spec) validate(e Envelope, p Payload) error {
	c := &checker{}
	if s.Stream != "" {
		c.matches("id", e.ID, idPattern)
	} else {
		c.that(e.ID == "", "id", "is for messages of streams")
	}
	if s.Request || e.Request != "" {
		c.matches("request", e.Request, requestPattern)
	}
	if s.Session || e.Session != "" {
		c.matches("session", e.Session, sessionPattern)
	}
	if s.Scope == PerClient || s.Scope == Plain || e.Client != "" {
		c.matches("client", e.Client, clientPattern)
	}
	if s.Scope == PerRequest {
		c.that(e.Seq > 0, "seq", "must be positive")
	} else {
		c.that(e.Seq == 0, "seq", "is for outputs")
	}
	p.check(c)
	return fault.Invalid(c.problems)
}

func (s Spec) tooLarge(n int) error {
	return fault.New(fault.RequestTooLarge, "%s has %d bytes, the limit is %d", s.Type, n, s.MaxBytes).
		WithHint("send less text; files travel by reference")
}

func unknown(t Type) error {
	return fault.New(fault.InvalidRequest, "the bus has no message %.100q", string(t)).
		WithHint("docs/bus.md lists the messages")
}
