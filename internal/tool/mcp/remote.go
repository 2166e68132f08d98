package mcp

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/netguard"
	"belay/internal/tool"
)

// remote is a server at an address.
type remote struct {
	Server
	client *http.Client
	// trouble is why the latest request failed, "" if it did not. The transport says it in
	// its own words only, and often without the cause.
	trouble atomic.Pointer[string]
	// known is set once it answered as an MCP server does.
	known atomic.Bool
}

// codeRejected is the code of the transport's own error for a request that failed.
const codeRejected = -32005

func (r *remote) transport() sdk.Transport {
	client := *r.client
	client.Transport = r
	return &sdk.StreamableClientTransport{Endpoint: r.URL, HTTPClient: &client, MaxEventSize: maxMessage}
}

// explain says why the server is of no use, and the next step.
func (r *remote) explain(err error) error {
	var own plainError
	var refused *jsonrpc.Error
	switch trouble := r.trouble.Load(); {
	case errors.As(err, &own):
		return own
	case errors.Is(err, sdk.ErrSessionMissing):
		return errors.New("it does not know the session any more; it was probably restarted, so try again")
	case errors.As(err, &refused) && refused.Code != codeRejected && !errors.Is(err, sdk.ErrConnectionClosed):
		return fmt.Errorf("it refuses the connection: %s", tool.Clip(refused.Message, maxTold))
	case trouble != nil && *trouble != "":
		return errors.New(*trouble)
	case r.known.Load():
		return errors.New("it closed the connection; try again")
	}
	return errors.New(r.stranger())
}

// stranger says that no MCP server answers at the address.
func (r *remote) stranger() string {
	return "an answer came from there, but not one of an MCP server; the address often ends in /mcp: correct mcp.servers." + r.Name + ".url"
}

func (r *remote) close() { r.client.CloseIdleConnections() }

// RoundTrip implements [http.RoundTripper]. It adds the token to requests, and bounds
// answers that are no event streams, which the transport reads whole.
func (r *remote) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.Token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	res, err := r.client.Transport.RoundTrip(req)
	switch {
	case err != nil && req.Context().Err() != nil:
		return nil, err // the caller gave up
	case err != nil:
		return nil, r.failed(r.unreached(err))
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden:
		_ = res.Body.Close() // the status says it
		return nil, r.failed(r.status(res.StatusCode))
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if req.Method == http.MethodPost { // others may be refused: not every server has a stream of its own
		r.note(r.judge(res.StatusCode, kind))
	}
	if kind != "text/event-stream" {
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	res.Body = &watchedBody{res.Body, r}
	return res, nil
}

// judge is what is wrong with an answer by its status and its kind, "" for nothing.
func (r *remote) judge(status int, kind string) string {
	switch {
	case status < 200 || status > 299:
		return r.status(status)
	case status == http.StatusOK && kind != "application/json" && kind != "text/event-stream":
		return r.stranger()
	}
	return ""
}

func (r *remote) note(trouble string) { r.trouble.Store(&trouble) }

func (r *remote) failed(trouble string) error {
	r.note(trouble)
	return errors.New(trouble)
}

// unreached says why no answer came.
func (r *remote) unreached(err error) string {
	why, step := netguard.Reason(err), "start it, or correct mcp.servers."+r.Name+".url"
	if v := (*netguard.ViolationError)(nil); errors.As(err, &v) {
		why, step = v.Error(), "correct mcp.servers."+r.Name+".url"
	}
	if why == "" {
		return r.stranger()
	}
	return why + "; " + step
}

// status says what an HTTP status means here.
func (r *remote) status(status int) string {
	said := fmt.Sprintf("(status %d)", status)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return r.unauthorized(said)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "no MCP server answers at this address " + said + "; it often ends in /mcp: correct mcp.servers." + r.Name + ".url"
	case status == http.StatusTooManyRequests:
		return "it gets too many requests " + said + "; try again later"
	case status >= 300 && status < 400:
		return "it sends requests elsewhere " + said + ", and belay follows no redirect; write the address where it leads into mcp.servers." + r.Name + ".url"
	case status >= 500:
		return "it has a fault of its own, or is overloaded " + said + "; try again later, or look at its log"
	}
	return "it refuses the request " + said + "; correct mcp.servers." + r.Name
}

func (r *remote) unauthorized(said string) string {
	switch {
	case r.Token != "":
		return "it does not accept the token " + said + "; correct the value of " + r.TokenEnv
	case r.TokenEnv != "":
		return "it wants a token " + said + ", and " + r.TokenEnv + " is not set; set it where belay starts"
	}
	return "it wants a token " + said + "; name the variable that has it with token_env in mcp.servers." + r.Name
}

// watchedBody notes why an answer could not be read to its end.
type watchedBody struct {
	io.ReadCloser
	of *remote
}

// Read implements [io.Reader].
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		b.of.note(fmt.Sprintf("its answer is too large; one message may have %d MiB", maxMessage>>20))
	} else if why := netguard.Reason(err); why != "" && !errors.Is(err, io.EOF) {
		b.of.note(why + "; try again")
	}
	return n, err
}
