package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/fault"
	"belay/internal/netguard"
	"belay/internal/tool"
)

// remote is a server at an address.
type remote struct {
	Server
	client *http.Client
	// waiting has a place for each request whose answer has not begun.
	waiting chan struct{}
	// crowded is done once there was none left: leave says so, and gives up all that wait.
	crowded context.Context //nolint:containedctx // of one connection
	leave   context.CancelFunc
	// latest is why the latest request failed, nil if it did not. The errors of the transport
	// have lost that where an answer could not be read.
	latest atomic.Pointer[trouble]
	// known is set once it answered as an MCP server does.
	known atomic.Bool
	// streams spaces the requests for streams.
	streams pace
}

const (
	// maxWaiting is how many requests wait for an answer at a time: the transport makes one of
	// its own for each ping of a server, which may never answer it.
	maxWaiting = 64
	// maxRefusal is how much is read of an answer that is none of a server of MCP, in bytes.
	maxRefusal = 64 << 10
)

func (r *remote) transport() sdk.Transport {
	client := *r.client
	client.Transport = r
	return &sdk.StreamableClientTransport{Endpoint: r.URL, HTTPClient: &client, MaxEventSize: maxMessage}
}

// explain implements [link].
func (r *remote) explain(err error) trouble {
	var own plainError
	var known trouble
	refused, isRefused := refusal(err)
	switch latest := r.latest.Load(); {
	case errors.As(err, &own):
		return trouble{reason: own.Error()}
	case errors.As(err, &known):
		return known
	case errors.Is(err, sdk.ErrSessionMissing):
		return trouble{"it does not know the session any more; it was probably restarted", "try again"}
	case isRefused:
		return trouble{reason: "it refuses the connection: " + tool.Clip(refused, maxTold)}
	case latest != nil:
		return *latest
	case strings.Contains(err.Error(), fmt.Sprintf("exceeded %d bytes", maxMessage)): // the library has no types for these
		return trouble{reason: tooLarge}
	case r.known.Load() && (strings.Contains(err.Error(), "failed to decode") || strings.Contains(err.Error(), "malformed")):
		return trouble{reason: "it answered, and belay cannot read that: it is no message of MCP"}
	case r.known.Load() && strings.Contains(err.Error(), "unsupported content type"): // as that of status 202, which has none
		return trouble{reason: "it took the request, and gave no answer to it"}
	case r.known.Load() && strings.Contains(err.Error(), "mismatching session IDs"):
		return trouble{"it answered for another session than the one that it began", "try again"}
	case r.known.Load():
		return trouble{"it closed the connection", "try again"}
	}
	return r.stranger()
}

// stranger says that no MCP server answers at the address.
func (r *remote) stranger() trouble {
	return trouble{"an answer came from there, but not one of an MCP server; the address often ends in /mcp", "correct mcp.servers." + r.Name + ".url"}
}

// useless implements [link].
func (r *remote) useless() <-chan struct{} { return r.crowded.Done() }

func (r *remote) close() {
	r.leave()
	r.client.CloseIdleConnections()
}

// RoundTrip implements [http.RoundTripper]. It adds the token to requests, and bounds
// answers that are no event streams, or refusals, which the transport reads whole.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.Token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	if req.Method == http.MethodGet {
		if err := r.streams.wait(req.Context()); err != nil {
			return nil, err
		}
	}
	res, err := r.ask(req)
	switch {
	case err != nil && req.Context().Err() != nil:
		return nil, err // the caller gave up
	case err != nil:
		return nil, r.unreached(err)
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden:
		_ = res.Body.Close() // the status says it
		return nil, r.status(res.StatusCode)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if req.Method == http.MethodPost { // others may be refused: not every server has a stream of its own
		r.latest.Store(r.judge(res.StatusCode, kind))
	}
	switch {
	case res.StatusCode != http.StatusOK && res.StatusCode != http.StatusAccepted:
		res.Body = http.MaxBytesReader(nil, res.Body, maxRefusal)
	case kind != "text/event-stream":
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	res.Body = &watchedBody{res.Body, r}
	return res, nil
}

// ask sends a request and waits for the beginning of its answer. One too many ends the
// connection, as a server that only asks, and takes no answer, would have all of them.
func (r *remote) ask(req *http.Request) (*http.Response, error) {
	crowd := trouble{fmt.Sprintf("it leaves %d requests without an answer", maxWaiting), "try again later, or look at its log"}
	select {
	case r.waiting <- struct{}{}:
		defer func() { <-r.waiting }()
	default:
		r.latest.Store(&crowd)
		r.leave()
		return nil, crowd
	}
	ctx, cancel := context.WithCancel(req.Context())
	defer context.AfterFunc(r.crowded, cancel)() // the stream that follows ends with the session
	res, err := r.client.Transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		if r.crowded.Err() != nil {
			return nil, crowd
		}
		return nil, err
	}
	res.Body = &askedBody{res.Body, cancel}
	return res, nil
}

// askedBody is the body of an answer, with what its request holds.
type askedBody struct {
	io.ReadCloser
	free context.CancelFunc
}

// Close implements [io.Closer].
func (b *askedBody) Close() error {
	defer b.free()
	return b.ReadCloser.Close()
}

// judge is what is wrong with an answer by its status and its kind, nil for nothing.
func (r *remote) judge(status int, kind string) *trouble {
	switch {
	case status < 200 || status > 299:
		t := r.status(status)
		return &t
	case status == http.StatusOK && kind != "application/json" && kind != "text/event-stream":
		t := r.stranger()
		return &t
	}
	return nil
}

// unreached says why no answer came.
func (r *remote) unreached(err error) trouble {
	address := "correct mcp.servers." + r.Name + ".url"
	var known trouble
	switch v, why := (*netguard.ViolationError)(nil), netguard.Reason(err); {
	case errors.As(err, &known):
		return known
	case errors.As(err, &v):
		return trouble{v.Error(), address}
	case why != "":
		return trouble{why, "start it, or " + address}
	case strings.Contains(err.Error(), "malformed"): // net/http has no type for it
		return r.stranger()
	}
	return trouble{"it cannot be reached: " + fault.Innermost(err).Error(), "start it, or " + address}
}

// status says what an HTTP status means here.
func (r *remote) status(status int) trouble {
	said := fmt.Sprintf("(status %d)", status)
	setting := "mcp.servers." + r.Name
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return r.unauthorized(said)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return trouble{"no MCP server answers at this address " + said + "; it often ends in /mcp", "correct " + setting + ".url"}
	case status == http.StatusTooManyRequests:
		return trouble{"it gets too many requests " + said, "try again later"}
	case status >= 300 && status < 400:
		return trouble{"it sends requests elsewhere " + said + ", and belay follows no redirect", "write the address where it leads into " + setting + ".url"}
	case status >= 500:
		return trouble{"it has a fault of its own, or is overloaded " + said, "try again later, or look at its log"}
	}
	return trouble{"it refuses the request " + said, "correct " + setting}
}

func (r *remote) unauthorized(said string) trouble {
	switch {
	case r.Token != "":
		return trouble{"it does not accept the token " + said, "correct the value of " + r.TokenEnv}
	case r.TokenEnv != "":
		return trouble{"it wants a token " + said + ", and " + r.TokenEnv + " is not set", "set it where belay starts"}
	}
	return trouble{"it wants a token " + said, "name the variable that has it with token_env in mcp.servers." + r.Name}
}

// watchedBody notes why an answer could not be read to its end.
type watchedBody struct {
	io.ReadCloser
	of *remote
}

// Read implements [io.Reader].
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	large := (*http.MaxBytesError)(nil)
	if errors.As(err, &large) && large.Limit == maxRefusal {
		return n, err // the status said what is wrong
	}
	if large != nil {
		b.of.latest.Store(&trouble{reason: tooLarge})
	} else if why := netguard.Reason(err); why != "" && !errors.Is(err, io.EOF) {
		b.of.latest.Store(&trouble{why, "try again"})
	}
	return n, err
}
