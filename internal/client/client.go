// Package client is turn.Engine over HTTP: whoever holds an engine cannot tell
// whether turns run in this process or on a server.
//
// Start with [New]. Errors are the server's own, as *fault.Error; a server that
// cannot be reached, or that hangs, is an [Unreached]. Streams resume: when a
// connection breaks before process:exit, the stream goes on after the last event
// that it delivered (Last-Event-ID), so its reader sees every event once and in
// order, or a log:gap.
//
// A client never retries what might have changed something: only a message, for a
// new turn or one that runs, with an idempotency key is sent again when its answer
// did not begin. The paths of a turn's attachments are the server's; a file of this
// machine goes through [Client.Upload] first.
//
// Two things do not travel: an event's time (it is when the event arrived) and,
// on streams of a whole session, the turn of events before the first
// session:init that is seen.
//
// Contract: the HTTP contract; compatible contract, sections 1 and 2.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
)

// Options configure a [Client]. Every zero value works.
type Options struct {
	// Token is sent as a bearer token, to the base URL's server only.
	Token string
	// Patience is how long the server may take to begin an answer, from the moment at
	// which it has the request. Default 2 min. It is 15 min where that is not given and the
	// server works with files or a model first, or has the turn wait in line.
	Patience time.Duration
	// Silence is how long an answer that has begun may send nothing, not even a keep-alive
	// comment of a stream, before its connection counts as dead. Default 60 s.
	Silence time.Duration
	// Retries is how often in a row a stream is taken up again in vain before
	// its error is returned. Default 8.
	Retries int
	// Backoff is the first wait before another try; it doubles up to 5 s.
	// Default 100 ms.
	Backoff time.Duration

	// latePatience is Patience for what takes the server long.
	latePatience time.Duration
}

const (
	maxBackoff = 5 * time.Second
	// maxAnswer caps a JSON answer, maxFailure that of an error, maxEvent one event of a
	// stream.
	maxAnswer  = 256 << 20
	maxFailure = 1 << 20
	maxEvent   = 32 << 20
)

// errForeign marks an answer that is not a belay server's own, such as that of a
// proxy whose server is away. Another try may find it back.
var errForeign = errors.New("not an answer of a belay server")

// Client talks to one server. It is safe for concurrent use and owns no
// goroutine beyond those of its open streams.
type Client struct{ server *server }

var _ turn.Engine = (*Client)(nil)

// New returns a client of the server at baseURL, such as
// "http://127.0.0.1:23529".
func New(baseURL string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.InvalidRequest, "the server address %q is not of the form http://host:port", baseURL)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.Proxy = nil // a local server is not behind one, and a token is not a proxy's business
	if o.Patience == 0 {
		o.Patience, o.latePatience = 2*time.Minute, 15*time.Minute
	}
	o.latePatience = cmp.Or(o.latePatience, o.Patience)
	o.Silence = cmp.Or(o.Silence, time.Minute)
	o.Retries = cmp.Or(o.Retries, 8)
	o.Backoff = cmp.Or(o.Backoff, 100*time.Millisecond)
	return &Client{&server{o: o, http: &http.Client{Transport: transport, CheckRedirect: refuseRedirect}, base: strings.TrimSuffix(u.String(), "/")}}, nil
}

// Close closes the connections that no request uses.
func (c *Client) Close() { c.server.http.CloseIdleConnections() }

// refuseRedirect: the API never redirects, and a token must not follow.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// server sends requests to one server and reads its answers.
type server struct {
	o Options
	// http has timeouts for connecting, and none for answers: they may be long streams.
	http *http.Client
	base string
	// patience is how long an answer may take to begin; 0 is Options.Patience.
	patience time.Duration
}

// request makes a request without sending it.
func (s *server) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("a request to the server at %s cannot be made: %w", s.base, err)
	}
	if s.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.o.Token)
	}
	return req, nil
}

// do sends a request and returns an answer with status 200; every other status
// is an error.
func (s *server) do(req *http.Request) (*http.Response, error) {
	res, err := s.answer(req)
	if errors.Is(err, io.EOF) {
		// Not the end of anything: the server hung up instead of answering.
		err = fmt.Errorf("%s %s: %w", req.Method, req.URL.Host, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, s.unreached(err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	return nil, failure(res)
}

// failure reads an error answer.
func failure(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxFailure))
	if errors.As(err, new(*Unreached)) {
		return err
	}
	var body fault.Body
	if err == nil && json.Unmarshal(data, &body) == nil && body.Error.Type != "" {
		return &fault.Error{Type: body.Error.Type, Status: res.StatusCode, Message: body.Error.Message, Details: body.Error.Details}
	}
	// Not an answer of belay's: a proxy, or another program on that port.
	return fault.New(fault.SDKFailure, "%s answered %s, which is not an answer of a belay server", res.Request.URL.Host, res.Status).
		WithHint("check the server's address").Because(errForeign)
}

// call sends in, if any, as JSON and decodes the answer into out.
func (s *server) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := encode(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := s.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return s.receive(req, out)
}

func (s *server) receive(req *http.Request, out any) error {
	res, err := s.do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	limited := &io.LimitedReader{R: res.Body, N: maxAnswer + 1}
	err = json.NewDecoder(limited).Decode(out)
	if limited.N == 0 {
		return fmt.Errorf("the answer of the server at %s is larger than %d bytes", s.base, maxAnswer)
	}
	if errors.As(err, new(*Unreached)) {
		return err
	}
	if err != nil {
		if broken := (net.Error)(nil); errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken) {
			return s.unreached(err)
		}
		return fault.New(fault.SDKFailure, "the answer of the server at %s is not the JSON that was expected", s.base).
			WithHint("check the server's address, and that the server is of your version of belay").Because(errors.Join(errForeign, err))
	}
	return nil
}

func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	return data, nil
}
