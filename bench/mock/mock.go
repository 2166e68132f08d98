// Package mock is a stand-in for the Anthropic Messages API that costs next to
// nothing: it drains the request and answers a few words. What a benchmark
// against it measures is the client.
package mock

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"belay/bench/loopback"
)

// Reply is what every answer says.
const Reply = "Received."

// answer is a whole stream of the Messages API.
const answer = `event: message_start
data: {"type":"message_start","message":{"id":"msg_bench","type":"message","role":"assistant","model":"claude-bench","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + Reply + `"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

`

// Server answers on a loopback address.
type Server struct {
	// URL is the base URL.
	URL string

	loopback *loopback.Server
	requests atomic.Int64
	bytes    atomic.Int64
}

// Start starts a server; the caller closes it.
func Start() (*Server, error) {
	s := &Server{}
	var err error
	if s.loopback, err = loopback.Serve(http.HandlerFunc(s.messages)); err != nil {
		return nil, err
	}
	s.URL = s.loopback.URL("")
	return s, nil
}

// Close ends the server.
func (s *Server) Close() error { return s.loopback.Stop() }

// Drained returns how many requests and bytes of bodies came in so far.
func (s *Server) Drained() (requests, bytes int64) { return s.requests.Load(), s.bytes.Load() }

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r.Body, make([]byte, 256<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.requests.Add(1)
	s.bytes.Add(n)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", s.requests.Load()))
	_, _ = io.WriteString(w, answer) // a client that left needs no answer
}
