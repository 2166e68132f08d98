package anthropic

import (
	"net/http"
	"testing"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// Covers: turn-api REQ-13
func TestReady(t *testing.T) {
	t.Parallel()
	called := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a call was made") })
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
			if _, err := collect(p.Stream(t.Context(), ask("x"))); !fault.Is(err, tt.kind) {
				t.Errorf("%s: Stream gives %v", tt.name, err)
			}
		}
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

func TestBootstrapCallsOnlyWhenProbing(t *testing.T) {
	t.Parallel()
	calls := 0
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(hello))
	})
	p := provider(t, url)
	for _, probe := range []bool{false, true} {
		if err := p.Bootstrap(t.Context(), ask("bootstrap"), probe); err != nil {
			t.Error(err)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls, want one for the probe", calls)
	}
}

// The markers of the scripted provider are ordinary words here.
func TestMarkersHaveNoEffect(t *testing.T) {
	t.Parallel()
	p := provider(t, streaming(t, hello))
	for _, words := range []string{" bootstrap ", "TURN_SDK_FAIL_TEST", "UNAPPROVED_DENY_TEST", "INTERRUPT_SIGINT_TEST"} {
		r := ask(words)
		r.Mode = "dontAsk"
		got, err := collect(p.Stream(t.Context(), r))
		if err != nil || len(substance(got)) != 6 {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
}
