package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"belay/internal/netguard"
)

// link is the way to a server: a program's pipes, or HTTP.
type link interface {
	transport() sdk.Transport
	// explain says what went wrong in words for people, with what is known of the server's
	// own reasons.
	explain(err error) trouble
	// useless is closed when the session is to be ended, nil where nothing makes it so.
	useless() <-chan struct{}
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
	if strings.ContainsFunc(v.Token, unicode.IsControl) {
		return nil, plainError("the value of " + v.TokenEnv + " has a control character, which no request can carry; correct it where belay starts")
	}
	// The one host that the person named: no redirect leads the token elsewhere.
	host := u.Host
	if u.Port() == "" {
		host += map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	}
	loopback := netguard.IsLoopback(u.Hostname())
	client, err := netguard.Client(netguard.Policy{
		AllowedHosts: []string{host}, AllowPrivate: true, AllowLoopback: loopback, AllowHTTPOnLoopback: loopback,
		ConnectTimeout: 10 * time.Second, HeaderTimeout: max(v.Timeout, StartTime),
	})
	if err != nil {
		return nil, err
	}
	r := &remote{Server: v.Server, client: client, waiting: make(chan struct{}, maxWaiting)}
	r.crowded, r.leave = context.WithCancel(context.Background())
	return r, nil
}

// tooLarge is the trouble with a message over [maxMessage].
var tooLarge = fmt.Sprintf("its answer is too large; one message may have %d MiB", maxMessage>>20)

// trouble is why a server is of no use, and the next step of a person, "" for none. A model
// in the middle of a call must not follow that step: nobody knows what the call has done.
type trouble struct{ reason, step string }

// Error implements [error].
func (t trouble) Error() string {
	if t.step == "" {
		return t.reason
	}
	return t.reason + "; " + t.step
}
