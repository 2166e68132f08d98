package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
// again, gets no more than some requests. One more gives up all of them.
func TestUnansweredRequestsAreBounded(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 2*maxWaiting), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that nobody waits
		asked <- struct{}{}
		<-answer
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(answer) })
	r := linkTo(t, srv.URL)
	crowded := func() {
		if res, err := r.post(t); err == nil || !strings.Contains(err.Error(), "64 requests without an answer") {
			t.Errorf("asked: %v", err)
			if err == nil {
				_ = res.Body.Close()
			}
		}
	}
	var all sync.WaitGroup
	for range maxWaiting {
		all.Go(crowded)
	}
	for range maxWaiting {
		<-asked
	}
	select {
	case <-r.useless():
		t.Error("it is useless before")
	default:
	}
	crowded()
	all.Wait() // although nothing is answered
	<-r.useless()
}

// TestPingsWithoutAnEnd: a server that asks again and again, and takes no answer, loses the
// connection.
func TestPingsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var said struct {
			ID     json.RawMessage
			Method string
		}
		switch _ = json.Unmarshal(body, &said); {
		case said.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, said.ID)
		case said.Method == "tools/list":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`, said.ID)
		case said.Method != "" && said.ID != nil:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, said.ID)
		case said.Method != "" || r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusAccepted)
		case r.Method == http.MethodPost: // the answer to a ping
			select {
			case <-r.Context().Done():
			case <-let:
			}
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 4 * maxWaiting {
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", 1000+i)
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-let:
			}
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(let) })
	s, _ := open(t, Server{Name: "x", URL: srv.URL, Timeout: time.Minute})
	conn, err := s.all[0].connected(t.Context())
	if err != nil { // they may come before its tools are known
		if !strings.Contains(err.Error(), "64 requests without an answer") {
			t.Error(err)
		}
		return
	}
	select {
	case <-conn.ended:
	case <-time.After(20 * time.Second):
		t.Error("the connection goes on")
	}
}

// TestStreamsThatEndAtOnce: a server that ends its stream at once, and wants the next one after a
// millisecond, is not asked for one after the other.
func TestStreamsThatEndAtOnce(t *testing.T) {
	t.Parallel()
	var streams atomic.Int64
	first := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var said struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &said)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			n := streams.Add(1)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "id: %d\nretry: 1\ndata:\n\n", n)
			if n == 1 {
				close(first)
			}
		case said.Method == "initialize":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, said.ID)
		case said.Method == "tools/list":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`, said.ID)
		case said.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, said.ID)
		}
	}))
	t.Cleanup(srv.Close)
	s, _ := open(t, Server{Name: "x", URL: srv.URL})
	if _, problems := ready(t, s); len(problems) > 0 {
		t.Fatal(problems)
	}
	<-first
	began := time.Now()
	time.Sleep(300 * time.Millisecond)
	if n := streams.Load(); float64(n) > 2+time.Since(began).Seconds() {
		t.Errorf("%d streams were asked for in %s", n, time.Since(began))
	}
}
