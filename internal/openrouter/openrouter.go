// Package openrouter gets an API key of OpenRouter for a person who logs in there with a
// browser. It is OAuth with a proof key (RFC 7636) and without a registered client.
//
// [Login] listens on loopback for one callback of the browser, and exchanges its code for a
// key. The code is worth nothing without a verifier that never leaves this process before
// the exchange. The service echoes no state, so a random path stands for it: no other page
// can send a code of its own.
//
// The package stores nothing and logs nothing. Its errors hold neither code, verifier nor key.
package openrouter

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"time"
)

// Address is the service.
const Address = "https://openrouter.ai"

// KeysPage is where a person sees the keys of the account, and takes them back.
const KeysPage = Address + "/settings/keys"

// Wait is how long [Login] waits for the browser where nothing else is said.
const Wait = 10 * time.Minute

// ErrNoCallback says that the browser did not come back in time.
var ErrNoCallback = errors.New("the browser did not come back from OpenRouter in time")

// Options are what a login works with. The zero value logs in at [Address].
type Options struct {
	// Address is the service, a scheme and a host. "" is [Address].
	Address string
	// Proxy is an http or https proxy to the service, nil for none. A service on loopback is
	// reached without it.
	Proxy *url.URL
	// Wait bounds the wait for the browser. 0 is [Wait].
	Wait time.Duration
}

func (o Options) address() string {
	if o.Address == "" {
		return Address
	}
	return o.Address
}

// BaseURL is where the service takes requests with OpenAI's protocol.
func (o Options) BaseURL() string { return o.address() + "/api/v1" }

// Host is the service's host, with its port unless that is https's own.
func (o Options) Host() string {
	u, err := url.Parse(o.address())
	if err != nil {
		return ""
	}
	return u.Host
}

// Login returns a new key for the account of the person who logs in. It calls show once with
// the address that the person's browser has to open, and waits.
//
// The error is show's, ctx's, [ErrNoCallback], or a *[fault.Error] with the next step. The
// listener and its goroutines have ended when Login returns.
func Login(ctx context.Context, o Options, show func(address string) error) (key string, err error) {
	verifier := random()
	c, err := listen(ctx)
	if err != nil {
		return "", err
	}
	code, err := c.code(ctx, o, func() error { return show(o.page(c.url(), verifier)) })
	if err != nil {
		return "", err
	}
	return o.exchange(ctx, code, verifier)
}

// page is the service's page on which a person logs in.
func (o Options) page(callback, verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"callback_url":          {callback},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {method},
	}
	return o.address() + "/auth?" + query.Encode()
}

// random is a text of 256 random bits, in 43 characters that a verifier may have.
func random() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
