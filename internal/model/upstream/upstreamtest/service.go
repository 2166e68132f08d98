// Package upstreamtest has what the tests of all providers need: services that answer
// what a test says, and the suite of what every provider does, whatever it speaks.
package upstreamtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve starts a service that answers with h and returns its URL. Requests that the
// real services refuse never reach h ([Refusal]).
func Serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(checked(t, h))
	t.Cleanup(srv.Close)
	return srv.URL
}

// Streaming answers every request with the bytes of an event stream.
func Streaming(t testing.TB, stream string) string {
	t.Helper()
	return Answering(t, http.StatusOK, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, stream)
}

// Answering answers every request with one answer, once it has read all of it.
func Answering(t testing.TB, status int, header http.Header, body string) string {
	t.Helper()
	return Serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r.Body, make([]byte, 256<<10))
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// stalling begins an answer with half and goes no further. It closes gone when the
// caller hangs up.
func stalling(t testing.TB, half string, gone chan<- struct{}) string {
	t.Helper()
	return Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, half)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
}

// BrokenHeader answers with something that is not HTTP; clients repeat it in their
// errors.
func BrokenHeader(t testing.TB, text string) string {
	t.Helper()
	return Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 "+text+"\r\n\r\n")
		_ = c.Close()
	})
}

// Canned is a transport with one answer, an event stream, so that a benchmark counts
// the caller's work alone.
type Canned []byte

// RoundTrip implements [http.RoundTripper].
func (c Canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(bytes.NewReader(c)), Request: r,
	}, r.Body.Close()
}

// Stored is content in memory.
type Stored []byte

// SHA256 implements attachment.Content.
func (Stored) SHA256() string { return "" }

// Size implements attachment.Content.
func (s Stored) Size() int64 { return int64(len(s)) }

// Open implements attachment.Content.
func (s Stored) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(s)), nil }
