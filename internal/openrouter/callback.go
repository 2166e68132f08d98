package openrouter

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"belay/internal/lazyregexp"
)

// Limits of the listener, which every program of this machine can reach.
const (
	maxHeader = 16 << 10
	readTime  = 10 * time.Second
	closeTime = time.Second
)

// codePattern is what a code looks like. The service does not say; these are the characters
// that need no escape in a query.
var codePattern = lazyregexp.New(`^[A-Za-z0-9._~-]{1,512}$`)

// callback waits on loopback for the browser.
type callback struct {
	listener net.Listener
	path     string
	// taken is set by the first code, which got holds.
	taken atomic.Bool
	got   chan string
}

// listen opens a port of the system's choice.
func listen(ctx context.Context) (*callback, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	return &callback{listener: l, path: "/" + random(), got: make(chan string, 1)}, nil
}

func (c *callback) host() string { return c.listener.Addr().String() }

func (c *callback) url() string { return "http://" + c.host() + c.path }

// code calls show and returns the code that the browser brings. The listener is closed then.
func (c *callback) code(ctx context.Context, o Options, show func() error) (_ string, err error) {
	server := &http.Server{
		Handler: c, ReadTimeout: readTime, WriteTimeout: readTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // what hostile clients bring about is nobody's news
	}
	server.SetKeepAlivesEnabled(false)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(c.listener) }()
	defer func() {
		// The browser gets its page before the listener goes away.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		if server.Shutdown(stop) != nil {
			_ = server.Close() // a client that hangs is cut off
		}
		if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}()
	if err := show(); err != nil {
		return "", err
	}
	wait := o.Wait
	if wait <= 0 {
		wait = Wait
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case code := <-c.got:
		return code, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timer.C:
		return "", ErrNoCallback
	}
}

// ServeHTTP takes one GET of the secret path with a code. It refuses everything else, which
// changes nothing.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer") // the address has the code
	status, text := c.take(r)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the browser may be gone; the code counts
}

// take takes the code of a request, and says what to answer.
func (c *callback) take(r *http.Request) (status int, text string) {
	if r.Host != c.host() { // a page of another name that leads here
		return http.StatusForbidden, "This address is not the one that belay gave to OpenRouter."
	}
	if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(c.path)) != 1 {
		return http.StatusNotFound, "There is nothing here."
	}
	if r.Method != http.MethodGet {
		return http.StatusMethodNotAllowed, "belay takes a GET request only."
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if codes := query["code"]; err != nil || len(codes) != 1 || !codePattern.MatchString(codes[0]) {
		return http.StatusBadRequest, "OpenRouter sent no code. Log in again from the address in the terminal, or end belay there with Ctrl-C."
	}
	if !c.taken.CompareAndSwap(false, true) {
		return http.StatusConflict, "belay has a code already: go back to the terminal."
	}
	c.got <- query.Get("code")
	return http.StatusOK, "OpenRouter has answered: you can close this page and go back to the terminal."
}
