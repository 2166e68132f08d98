package bus

import (
	"context"
	"io"

	"belay/internal/bus/contract"
)

// Client is the bus as a surface uses it: it asks for work, follows what becomes
// of it, and answers questions. It needs nothing else of belay. All methods may be
// called from any goroutine.
type Client struct {
	bus   *Bus
	kind  string
	blobs OpenBlob
}

// NewClient returns a client for surfaces of a kind, such as "discord".
func NewClient(b *Bus, kind string) *Client { return &Client{bus: b, kind: kind} }

// OpenBlob opens the bytes of a file of a session; the caller closes.
type OpenBlob func(ctx context.Context, session, sha256 string) (io.ReadCloser, error)

// WithBlobs returns a client that reads files with open, because it can read the state
// folder: no copy of them goes over the bus.
func (c *Client) WithBlobs(open OpenBlob) *Client {
	with := *c
	with.blobs = open
	return &with
}

// Request asks for work in a session. After nil the request is stored and will be
// dealt with, once, also when it is published again with the same id. The caller
// makes the id before anything else. The errors are those of [Bus.Publish].
func (c *Client) Request(ctx context.Context, session, request string, m *contract.RequestMessage) error {
	return c.bus.Publish(ctx, c.envelope(session, request, "request:"+session+":"+request), m)
}

// Announce publishes what the surface saw, or what other readers should do; id is
// the producer's id of the message. Session and request may be "" where the
// message has none.
func (c *Client) Announce(ctx context.Context, id, session, request string, p contract.Payload) error {
	return c.bus.Publish(ctx, c.envelope(session, request, c.kind+":"+id), p)
}

func (c *Client) envelope(session, request, id string) contract.Envelope {
	return contract.Envelope{ID: id, Session: session, Request: request, Client: c.kind}
}

// Answer answers a question of a session and waits until the answer is on record.
// Where somebody was faster the error is DECISION_CLOSED.
func (c *Client) Answer(ctx context.Context, session string, a *contract.DecisionAnswer) (contract.DecisionAnswered, error) {
	var r contract.DecisionAnswered
	err := c.bus.ask(ctx, c.envelope(session, "", ""), a, &r)
	return r, err
}

// CreateSession makes a session. One that is asked for again for the same request, such as
// after a reply that came too late, is the same, if the same server answers. Request may be "".
func (c *Client) CreateSession(ctx context.Context, request string, s *contract.SessionCreate) (contract.Session, error) {
	var r contract.SessionCreated
	err := c.bus.ask(ctx, c.envelope("", request, ""), s, &r)
	return r.Session, err
}

// Status returns what happens in a session: its running and waiting requests and
// its open questions.
func (c *Client) Status(ctx context.Context, session string) (contract.SessionState, error) {
	var r contract.SessionState
	err := c.bus.ask(ctx, c.envelope(session, "", ""), &contract.SessionStatus{}, &r)
	return r, err
}

// Sessions lists sessions, the last used first.
func (c *Client) Sessions(ctx context.Context, l *contract.SessionList) (contract.SessionPage, error) {
	var r contract.SessionPage
	err := c.bus.ask(ctx, c.envelope("", "", ""), l, &r)
	return r, err
}

// Personas lists whom a request can be sent to.
func (c *Client) Personas(ctx context.Context) ([]contract.Persona, error) {
	var r contract.Personas
	err := c.bus.ask(ctx, c.envelope("", "", ""), &contract.PersonaList{}, &r)
	return r.Personas, err
}
