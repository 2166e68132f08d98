package anthropic

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// Covers: turn-api REQ-13
func TestReady(t *testing.T) {
	t.Parallel()
	called := upstreamtest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a call was made") })
	key := func(k string) func(*Options) { return func(o *Options) { o.Key = func() string { return k } } }
	tests := []struct {
		name     string
		url      string
		change   func(*Options)
		kind     fault.Type
		status   int
		category model.Category
	}{
		{"all is well", called, key("sk-fine"), "", 0, ""},
		{"no key", called, key(""), fault.MissingAPIKey, 503, model.MissingAPIKey},
		{"a blank key", called, key(" \n"), fault.MissingAPIKey, 503, model.MissingAPIKey},
		{"no source of keys", called, func(o *Options) { o.Key = nil }, fault.MissingAPIKey, 503, model.MissingAPIKey},
		{"a key with a line break", called, key("sk-\nX-Evil: 1"), fault.SDKFailure, 401, model.InvalidAPIKey},
		{"a base URL off the list", "https://evil.example", key("sk-fine"), fault.SDKFailure, 400, model.NetworkPolicyViolation},
	}
	for _, tt := range tests {
		p := provider(t, tt.url, tt.change)
		for what, err := range map[string]error{"Ready": p.Ready(), "Bootstrap": p.Bootstrap(t.Context(), ask("bootstrap"), false)} {
			f := fault.From(err)
			if tt.kind == "" {
				if err != nil {
					t.Errorf("%s, %s: %v", tt.name, what, err)
				}
				continue
			}
			if f == nil || f.Type != tt.kind || f.Status != tt.status || f.Details["category"] != string(tt.category) || f.Details["provider"] != Name {
				t.Errorf("%s, %s: %+v, want %s %d %s", tt.name, what, f, tt.kind, tt.status, tt.category)
			}
		}
		if tt.kind != "" {
			if _, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x"))); !fault.Is(err, tt.kind) {
				t.Errorf("%s: Stream gives %v", tt.name, err)
			}
		}
	}
}

// A gateway may have the API below a path of its own.
func TestPathOfTheBaseURL(t *testing.T) {
	t.Parallel()
	var asked []string
	url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	})
	for _, path := range []string{"", "/", "/v1", "/v1/messages", "/gateway/anthropic", "/gateway/anthropic/v1/", "/gateway/anthropic/v1/messages"} {
		if _, err := upstreamtest.Collect(provider(t, url+path).Stream(t.Context(), ask("x"))); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	const plain, below = "/v1/messages", "/gateway/anthropic/v1/messages"
	if diff := cmp.Diff([]string{plain, plain, plain, plain, below, below, below}, asked); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

func TestOptionsThatNoServiceHas(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Version: "2023\r\nX: y"}, {Options: upstream.Options{AllowedHosts: []string{"https://x"}}}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
