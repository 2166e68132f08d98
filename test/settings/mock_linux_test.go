package settings

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// provider is a server with OpenAI's protocol that keeps what it is asked.
type provider struct {
	mu       sync.Mutex
	requests []string
	failures int // of the first requests
}

// provider makes turns go to a mock, whose first requests fail.
func (b *bench) provider(failures int) *provider {
	b.t.Helper()
	p := &provider{failures: failures}
	srv := httptest.NewServer(p)
	b.t.Cleanup(srv.Close)
	b.settings["openai.base_url"] = srv.URL + "/v1"
	if _, set := b.settings["provider"]; !set {
		b.settings["provider"] = "openai"
	}
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.requests = append(p.requests, string(body))
	fails := len(p.requests) <= p.failures
	p.mu.Unlock()
	if fails {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []string{
		`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello."},"finish_reason":null}]}`,
		`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`,
		`[DONE]`,
	} {
		fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
}

// asked is how many requests came, and what they said.
func (p *provider) asked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d requests\n%s", len(p.requests), strings.Join(p.requests, "\n"))
}
