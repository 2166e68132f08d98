package upstreamtest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

func (k Kit) connectionErrors(t *testing.T) {
	closed, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	hangUp := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
	})
	midway := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, k.Half)
	})
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	t.Cleanup(stranger.Close)
	for name, tt := range map[string]struct {
		url       string
		transient bool
	}{
		"nobody listens": {nobody, true}, "the service hangs up": {hangUp, true},
		"and in the middle": {midway, true}, "the certificate is a stranger's": {stranger.URL, false},
	} {
		_, err := Collect(k.New(t, tt.url).Stream(t.Context(), ask("x")))
		f := Wants(t, k.Name, err, 503, model.NetworkError, tt.transient)
		if cause, _ := f.Details["cause"].(string); cause == "" || !strings.Contains(f.Hint, k.Name+".base_url") {
			t.Errorf("%s: details %v, hint %q", name, f.Details, f.Hint)
		}
	}
}

func (k Kit) noAnswerInTime(t *testing.T) {
	release := make(chan struct{})
	url := Serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	p := k.New(t, url, func(o *upstream.Options) { o.HeaderTimeout = 20 * time.Millisecond })
	_, err := Collect(p.Stream(t.Context(), ask("x")))
	Wants(t, k.Name, err, 504, model.RequestTimeout, false)
}

func (k Kit) retries(t *testing.T) {
	calls := 0
	url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := Collect(k.New(t, url).Stream(t.Context(), ask("x"))); err == nil || calls != 1 {
		t.Errorf("%d calls and %v, want 1 and an error", calls, err)
	}
	var waits []time.Duration
	retrying := model.WithRetry(k.New(t, url), model.RetryPolicy{
		Attempts: 3, Base: time.Second, Max: time.Minute, Jitter: func() float64 { return 1 },
		Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
	})
	calls = 0
	_, err := Collect(retrying.Stream(t.Context(), ask("x")))
	Wants(t, k.Name, err, 429, model.RateLimited, true)
	if diff := cmp.Diff([]time.Duration{7 * time.Second, 7 * time.Second}, waits); diff != "" || calls != 3 {
		t.Errorf("%d calls, waits (-want +got):\n%s", calls, diff)
	}
}

func (k Kit) slowBytes(t *testing.T) {
	url := Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range len(k.Hello) {
			_, _ = io.WriteString(w, k.Hello[i:i+1])
			w.(http.Flusher).Flush()
		}
	})
	got, err := Collect(k.New(t, url).Stream(t.Context(), ask("x")))
	if err != nil || len(Substance(got)) != k.Chunks {
		t.Errorf("got %v, %v", Substance(got), err)
	}
}

func (k Kit) sending(t *testing.T) {
	var sent atomic.Int64
	r := ask(strings.Repeat("many words ", 100_000))
	r.Sent = func() { sent.Add(1) }
	if _, err := Collect(k.New(t, k.hello(t)).Stream(t.Context(), r)); err != nil {
		t.Fatal(err)
	}
	if n := sent.Load(); n < 10 { // of a megabyte
		t.Errorf("Sent was called %d times", n)
	}
}

func (k Kit) cancelStalled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var last error
	for _, last = range k.New(t, stalling(t, k.Half, make(chan struct{}))).Stream(ctx, ask("x")) {
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v, want the cancel", last)
	}
}

// Events that were received before a cancel still arrive; they must not make a
// cancelled answer look whole.
func (k Kit) cancelBuffered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var chunks int
	var last error
	for _, last = range k.New(t, k.hello(t)).Stream(ctx, ask("x")) {
		cancel()
		if last == nil {
			chunks++
		}
	}
	if chunks != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d chunks and %v, want 1 and a cancel", chunks, last)
	}
}

func (k Kit) hangUp(t *testing.T) {
	gone := make(chan struct{})
	for _, err := range k.New(t, stalling(t, k.Half, gone)).Stream(t.Context(), ask("x")) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	select {
	case <-gone:
	case <-time.After(soon):
		t.Error("the connection stayed open")
	}
}

func (k Kit) reuse(t *testing.T) {
	var remotes []string
	p := k.New(t, Serve(t, func(w http.ResponseWriter, r *http.Request) {
		remotes = append(remotes, r.RemoteAddr)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, k.Hello)
	}))
	for range 3 {
		if _, err := Collect(p.Stream(t.Context(), ask("x"))); err != nil {
			t.Fatal(err)
		}
	}
	if len(remotes) != 3 || remotes[0] != remotes[1] || remotes[1] != remotes[2] {
		t.Errorf("connections from %v, want one", remotes)
	}
}
