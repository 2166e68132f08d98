package main

import (
	"context"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"belay/bench/material/sessions"
)

// bareDocument is the page beside that of belay: a list, a box for messages, and a script that
// shows the events of a stream as they come.
const bareDocument = `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title>
<style>body{margin:0;height:100vh;display:grid;grid-template-rows:1fr auto}main{overflow-y:auto}article{margin:1rem}</style>
<main>%s</main><textarea id="message"></textarea>
<script>
const main = document.querySelector("main");
const shown = new Map();
const stream = new EventSource("/events");
stream.onmessage = (e) => {
  const {id, text, question} = JSON.parse(e.data);
  let part = shown.get(id);
  if (!part) { part = document.createElement("article"); if (question) part.className = "question"; main.append(part); shown.set(id, part); }
  part.append(text);
};
</script></html>`

// bareServer serves the bare page.
type bareServer struct {
	addr string
	http *http.Server
	done chan struct{}
	body string

	mu   sync.Mutex
	tell []chan string
}

// startBare starts a bare server whose page has some messages.
func startBare(messages int) (*bareServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range messages {
		fmt.Fprintf(&b, "<article><h2>Message %d</h2><p>%s</p></article>", i, html.EscapeString(sessions.Text(i)))
	}
	s := &bareServer{addr: l.Addr().String(), done: make(chan struct{}), body: fmt.Sprintf(bareDocument, b.String())}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(s.body))
	})
	mux.HandleFunc("/events", s.events)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // until it is stopped
	}()
	return s, nil
}

// stop ends the server and its streams.
func (s *bareServer) stop() {
	_ = s.http.Close()
	<-s.done
}

// events is a stream of what is said.
func (s *bareServer) events(w http.ResponseWriter, r *http.Request) {
	said := make(chan string, 1000)
	s.mu.Lock()
	s.tell = append(s.tell, said)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case line := <-said:
			if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil || out.Flush() != nil {
				return
			}
		}
	}
}

// say sends all readers an event, and returns when there is one that gets it.
func (s *bareServer) say(ctx context.Context, line string) error {
	for {
		s.mu.Lock()
		n := len(s.tell)
		for _, c := range s.tell {
			select {
			case c <- line:
			default: // a reader that is gone
			}
		}
		s.mu.Unlock()
		if n > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
