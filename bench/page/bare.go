package main

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
	"sync"
	"time"

	"belay/bench/loopback"
	"belay/bench/material/sessions"
)

// barePage is the page beside that of belay: a list, a box for messages, and a script that
// shows the events of a stream as they come.
const barePage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title>
<style>body{margin:0;height:100vh;display:grid;grid-template-rows:1fr auto}main{overflow-y:auto}article{margin:1rem}td{white-space:nowrap}</style>
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
</script>%s</html>`

// bareDocument is what a bare page shows.
type bareDocument struct {
	// main is the content of its list, script one more script; both are HTML.
	main, script string
}

// messages is a document of so many messages.
func messages(n int) bareDocument {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<article><h2>Message %d</h2><p>%s</p></article>", i, html.EscapeString(sessions.Text(i)))
	}
	return bareDocument{main: b.String()}
}

// bareServer serves the bare page.
type bareServer struct {
	*loopback.Server
	body string

	mu   sync.Mutex
	tell []chan string
	data []byte
}

func startBare(d bareDocument) (*bareServer, error) {
	s := &bareServer{body: fmt.Sprintf(barePage, d.main, d.script)}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(s.body))
	})
	mux.HandleFunc("/events", s.events)
	mux.HandleFunc("/data", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = w.Write(s.data)
	})
	var err error
	s.Server, err = loopback.Serve(mux)
	return s, err
}

// give is what the page gets when it asks for data from now on.
func (s *bareServer) give(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = data
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
