package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
)

// waits notes what was waited before retries, and waits for nothing.
type waits []time.Duration

func (w *waits) wait(ctx context.Context, d time.Duration) error {
	*w = append(*w, d)
	return ctx.Err()
}

// Covers: attachments 6.1, attachments 10.2
//
// What may pass is tried again, later each time; what stays as it is, is not.
func TestRetries(t *testing.T) {
	t.Parallel()
	hijacked := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(conn, answer)
			if tcp, ok := conn.(*net.TCPConn); ok && answer == "" {
				_ = tcp.SetLinger(0) // a reset
			}
			_ = conn.Close()
		}
	}
	status := func(code int, after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(code)
		}
	}
	stall := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	const s = time.Second
	for name, c := range map[string]struct {
		fails   http.HandlerFunc // the first so many times
		times   int
		retries int
		asked   int
		code    attachment.Code
		says    string
		waited  waits
	}{
		"500":                 {status(500, ""), 1, 2, 2, "", "", waits{s / 2}},
		"502 twice":           {status(502, ""), 2, 2, 3, "", "", waits{s / 2, s}},
		"503 for ever":        {status(503, ""), 99, 2, 3, BadStatus, "the server answers 503 Service Unavailable (tried 3 times)", waits{s / 2, s}},
		"503 without retries": {status(503, ""), 99, 0, 1, BadStatus, "the server answers 503 Service Unavailable", nil},
		"504 six times":       {status(504, ""), 6, 6, 7, "", "", waits{s / 2, s, 2 * s, 4 * s, 8 * s, 10 * s}},
		"429 with a time":     {status(429, "7"), 1, 2, 2, "", "", waits{7 * s}},
		"503 with a long one": {status(503, "3600"), 1, 2, 1, BadStatus, "503", nil},
		"503 with a far date": {status(503, "Fri, 31 Dec 2100 23:59:59 GMT"), 1, 2, 1, BadStatus, "503", nil},
		"503 with a past one": {status(503, "Fri, 31 Dec 1999 23:59:59 GMT"), 1, 2, 2, "", "", waits{s / 2}},
		"404":                 {status(404, ""), 1, 2, 1, BadStatus, "404", nil},
		"501":                 {status(501, ""), 1, 2, 1, BadStatus, "501", nil},
		"a reset":             {hijacked(""), 1, 2, 2, "", "", waits{s / 2}},
		"a short body":        {hijacked("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), 1, 2, 2, "", "", waits{s / 2}},
		"a large short body":  {hijacked("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 200_000)), 1, 2, 2, "", "", waits{s / 2}},
		"a short chunk":       {hijacked("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), 1, 2, 2, "", "", waits{s / 2}},
		"a timeout":           {stall, 1, 2, 2, "", "", waits{s / 2}},
		"no HTTP":             {hijacked("no HTTP at all\r\n"), 1, 2, 1, Unreachable, "", nil},
		"a refused redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		}, 1, 2, 1, AddressRefused, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if int(asked.Add(1)) <= c.times {
					c.fails(w, r)
					return
				}
				fmt.Fprint(w, "the words")
			})
			var waited waits
			timeout := 5 * time.Minute
			if name == "a timeout" {
				timeout = 2 * time.Second
			}
			d := downloads(t, Options{Retries: c.retries, Wait: waited.wait, Timeout: timeout, TempBytes: 20_000_000})
			f, err := d.Fetch(t.Context(), url)
			if code(err) != c.code || c.code != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s %s", err, c.code, c.says)
			}
			if err == nil {
				in, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(in)
				if err := errors.Join(err, in.Close(), f.Close()); err != nil || string(text) != "the words" {
					t.Errorf("%q, %v", text, err)
				}
			}
			if got := int(asked.Load()); got != c.asked {
				t.Errorf("asked %d times, want %d", got, c.asked)
			}
			if diff := cmp.Diff(c.waited, waited); diff != "" {
				t.Errorf("waited (-want +got):\n%s", diff)
			}
		})
	}
}

// Who waits for another try gives up when nobody wants the file any more, and holds no
// place meanwhile.
func TestRetriesHoldNothing(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "up")
	})
	ctx, cancel := context.WithCancel(t.Context())
	var d *Downloads
	d = downloads(t, Options{Parallel: 1, TempBytes: 10, ItemBytes: 10, Wait: func(waiting context.Context, _ time.Duration) error {
		f, err := d.Fetch(t.Context(), url+"/up") // the only place is free
		if err != nil {
			t.Error(err)
		} else if err := f.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		return wait(waiting, time.Hour)
	}})
	if _, err := d.Retrying(3).Fetch(ctx, url+"/down"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
