package mcp

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/netguard"
)

// link is the way to a server: a program's pipes, or HTTP.
type link interface {
	transport() sdk.Transport
	// explain adds what is known of the server's own reasons to an error.
	explain(err error) error
	// close ends what is left once the session is closed.
	close()
}

func (v *server) link() (link, error) {
	if v.URL == "" {
		return v.start()
	}
	u, err := url.Parse(v.URL)
	if err != nil {
		return nil, err
	}
	// The one host that the person named: no redirect leads the token elsewhere.
	host := u.Host
	if u.Port() == "" {
		host += map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	}
	loopback := netguard.IsLoopback(u.Hostname())
	client, err := netguard.Client(netguard.Policy{
		AllowedHosts: []string{host}, AllowPrivate: true, AllowLoopback: loopback, AllowHTTPOnLoopback: loopback,
		ConnectTimeout: 10 * time.Second, HeaderTimeout: max(v.Timeout, startTime),
	})
	if err != nil {
		return nil, err
	}
	return &remote{url: v.URL, client: client, token: v.Token}, nil
}

// remote is a server at an address.
type remote struct {
	url, token string
	client     *http.Client
}

func (r *remote) transport() sdk.Transport {
	client := *r.client
	client.Transport = &bearer{r.token, r.client.Transport}
	return &sdk.StreamableClientTransport{Endpoint: r.url, HTTPClient: &client, MaxEventSize: maxMessage}
}

func (r *remote) explain(err error) error { return err }

func (r *remote) close() { r.client.CloseIdleConnections() }

// bearer adds a token to requests, and bounds answers that are no event streams, which the
// transport reads whole.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	res, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		_ = res.Body.Close() // the status says it
		if b.token != "" {
			return nil, fmt.Errorf("it does not accept the token (status %d)", res.StatusCode)
		}
		return nil, fmt.Errorf("it wants a token (status %d): name the variable that has it with token_env", res.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	return res, nil
}
