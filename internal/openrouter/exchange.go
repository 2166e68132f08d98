package openrouter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
	"belay/internal/netguard"
)

const (
	// method is how the challenge is made of the verifier: its SHA-256.
	method = "S256"
	// exchangeTime bounds the exchange, maxAnswer its answer in bytes.
	exchangeTime = 30 * time.Second
	maxAnswer    = 64 << 10
)

// keyPattern is what a key looks like. It has no character that a shell knows.
var keyPattern = lazyregexp.New(`^[A-Za-z0-9._-]{16,512}$`)

// again is the next step after most failures: a code counts once.
const again = "log in again: a code counts once, and not for long"

// exchange exchanges a code for a key. The request goes to the service alone.
func (o Options) exchange(ctx context.Context, code, verifier string) (string, error) {
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": method})
	if err != nil {
		return "", err
	}
	address, err := url.Parse(o.BaseURL() + "/auth/keys")
	if err != nil {
		return "", err
	}
	client, err := o.client(address)
	if err != nil {
		return "", err
	}
	defer client.CloseIdleConnections()
	limited, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return "", unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // what counts of it was read
	if res.StatusCode != http.StatusOK {
		return "", refused(res.StatusCode)
	}
	text, err := io.ReadAll(res.Body)
	if large := (*netguard.BodyTooLargeError)(nil); err != nil && !errors.As(err, &large) {
		return "", unreachable(ctx, err)
	}
	var answer struct {
		Key string `json:"key"`
	}
	// Neither the answer nor the parser's complaint is quoted: it may hold the key.
	if err != nil || json.Unmarshal(text, &answer) != nil || !keyPattern.MatchString(answer.Key) {
		return "", failure("the answer of OpenRouter has no key that belay understands", again+"; a key made at "+KeysPage+" does as well")
	}
	return answer.Key, nil
}

// client reaches the service and nothing else, and follows no redirect.
func (o Options) client(address *url.URL) (*http.Client, error) {
	host, local := address.Host, netguard.IsLoopback(address.Hostname())
	return netguard.Client(netguard.Policy{
		AllowedHosts: []string{host}, AllowLoopback: local, AllowHTTPOnLoopback: local,
		Proxy: o.Proxy, MaxBody: maxAnswer, ConnectTimeout: 10 * time.Second, HeaderTimeout: exchangeTime,
	})
}

// refused is the failure of an exchange that the service answered with another status than
// 200. The documentation names 400, 403 and 405.
func refused(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return failure("OpenRouter takes no more logins for now", "wait a while, then log in again")
	case status >= http.StatusInternalServerError:
		return failure("OpenRouter has a fault of its own (it answered %d)", "log in again later", status)
	}
	return failure("OpenRouter does not accept the code of this login (it answered %d)", again, status)
}

// unreachable is the failure of an exchange that the network ended.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	const hint = "check the network, and network.proxy if only a proxy lets programs out; then log in again"
	reason := err
	if at := (*url.Error)(nil); errors.As(err, &at) {
		reason = at.Err
	}
	if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
		return failure("OpenRouter did not answer in time", hint)
	}
	if v := (*netguard.ViolationError)(nil); errors.As(err, &v) && v.Rule == netguard.RuleRedirect {
		return failure("OpenRouter answered with another address, where belay does not go", hint)
	}
	return failure("OpenRouter could not be reached: %v", hint, reason)
}

func failure(message, hint string, args ...any) error {
	return fault.New(fault.SDKFailure, message, args...).With("provider", "openrouter").WithHint("%s", hint)
}
