package mcp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// linkTo is the way to a server at an address.
func linkTo(t *testing.T, address string) *remote {
	t.Helper()
	l, err := (&server{Server: Server{Name: "x", URL: address}}).link()
	if err != nil {
		t.Fatal(err)
	}
	r, ok := l.(*remote)
	if !ok {
		t.Fatalf("it is %T", l)
	}
	t.Cleanup(r.close)
	return r
}

func (r *remote) post(t *testing.T) (*http.Response, error) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	return r.RoundTrip(req)
}

// TestRefusalsAreBounded: of an answer that is none of a server of MCP little is read, whatever
// it says it is.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(make([]byte, 4*maxRefusal))
	}))
	t.Cleanup(srv.Close)
	res, err := linkTo(t, srv.URL).post(t)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if large := (*http.MaxBytesError)(nil); !errors.As(err, &large) || len(data) > maxRefusal {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// TestUnansweredRequestsAreBounded: a server that answers nothing, and makes belay ask again and
// again, gets no more than some requests.
func TestUnansweredRequestsAreBounded(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 2*maxWaiting), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(srv.Close)
	r := linkTo(t, srv.URL)
	var all sync.WaitGroup
	for range maxWaiting {
		all.Go(func() {
			if res, err := r.post(t); err != nil {
				t.Error(err)
			} else {
				_ = res.Body.Close()
			}
		})
	}
	for range maxWaiting {
		<-asked
	}
	if _, err := r.post(t); err == nil || !strings.Contains(err.Error(), "64 requests without an answer") {
		t.Errorf("one more: %v", err)
	}
	close(answer)
	all.Wait()
	res, err := r.post(t)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}
