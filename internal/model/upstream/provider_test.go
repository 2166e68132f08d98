package upstream

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/redact"
)

// plain is a protocol of texts: each event is a piece, "end" is the end marker.
type plain struct {
	url    string
	client *http.Client
	limits model.Limits
	most   int64 // tokens that the answer may have
	key    string
}

func (p *plain) Limits(string) model.Limits { return p.limits }

func (p *plain) Stream(ctx context.Context, call *Call, r model.Request, limits model.Limits) error {
	p.most, p.key = MaxTokens(r, limits), call.Key
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, strings.NewReader(r.Model))
	if err != nil {
		return err
	}
	res, err := call.Send(req, p.client.Do)
	if err != nil {
		return err
	}
	stream := ssestream.NewDecoder(res)
	defer stream.Close()
	for stream.Next() {
		data := strings.TrimSpace(string(stream.Event().Data))
		if data == "end" {
			return nil
		}
		if !call.Emit(model.TextDelta{Text: data}) {
			return nil
		}
	}
	if err := call.Failed(stream.Err()); err != nil || call.Left() {
		return err
	}
	return ErrTruncated
}

func (p *plain) List(_ context.Context, key string) error {
	p.key = key
	return nil
}

func (*plain) Answered(error, *redact.Redactor, time.Time) *fault.Error { return nil }

// speaking returns a provider for a service that answers with stream.
func speaking(t *testing.T, s Service, o Options, stream string) (*Provider, *plain) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(stream))
	}))
	t.Cleanup(srv.Close)
	o.BaseURL = srv.URL
	said := &plain{url: srv.URL}
	p, err := New(s, o, func(_ Endpoint, client *http.Client) Protocol {
		said.client = client
		return said
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, said
}

// What the frame adds to a protocol: the key, the caps, and how an answer ends.
func TestProvider(t *testing.T) {
	t.Parallel()
	key := func() string { return "sk-fine" }
	service := Service{Name: "plain", BaseURL: "https://plain.example", KeyName: "PLAIN_KEY"}
	open := service
	open.Open = true
	tests := map[string]struct {
		service Service
		o       Options
		limits  model.Limits
		stream  string
		text    string
		kind    fault.Type // of the error, or ""
		status  int
	}{
		"a whole answer":             {service, Options{Key: key}, model.Limits{}, "data: a\n\ndata: b\n\ndata: end\n\n", "ab", "", 0},
		"one without its end":        {service, Options{Key: key}, model.Limits{}, "data: a\n\n", "a", fault.SDKFailure, 502},
		"no key":                     {service, Options{}, model.Limits{}, "data: end\n\n", "", fault.MissingAPIKey, 503},
		"no key, and none is asked":  {open, Options{}, model.Limits{}, "data: end\n\n", "", "", 0},
		"a line over the cap":        {service, Options{Key: key, MaxLine: 20}, model.Limits{}, "data: a\n\ndata: " + strings.Repeat("b", 20) + "\n\n", "a", fault.SDKFailure, 502},
		"over the cap after its end": {service, Options{Key: key, MaxAnswer: 60}, model.Limits{}, strings.Repeat("data: a\n\n", 5) + "data: end\n\n" + strings.Repeat(":\n", 99), "aaaaa", "", 0},
		"and before its end":         {service, Options{Key: key, MaxAnswer: 15}, model.Limits{}, "data: a\n\ndata: end\n\n", "a", fault.SDKFailure, 502},
	}
	for name, tt := range tests {
		p, said := speaking(t, tt.service, tt.o, tt.stream)
		said.limits = tt.limits
		var text string
		var last error
		for c, err := range p.Stream(t.Context(), model.Request{Model: "m"}) {
			if d, ok := c.(model.TextDelta); ok {
				text += d.Text
			}
			last = err
		}
		f := fault.From(last)
		if text != tt.text || (last == nil) != (tt.kind == "") || last != nil && (f.Type != tt.kind || f.Status != tt.status) {
			t.Errorf("%s: %q, %v", name, text, last)
		}
		if tt.o.Key != nil && said.key != "sk-fine" {
			t.Errorf("%s: called with the key %q", name, said.key)
		}
	}
}

func TestProviderCapsRequests(t *testing.T) {
	t.Parallel()
	p, said := speaking(t, Service{Name: "plain", BaseURL: "https://plain.example", Open: true}, Options{MaxTokens: 100}, "data: end\n\n")
	said.limits = model.Limits{ContextTokens: 10_000, Attachments: attachment.Limits{RequestBytes: 10}}
	for _, tt := range []struct{ model, asked, want, planned int64 }{
		{50, 0, 50, 50}, {500, 0, 100, 100}, {500, 7, 7, 100}, {500, 400, 100, 100},
	} {
		said.limits.OutputTokens = tt.model
		for range p.Stream(t.Context(), model.Request{Model: "m", MaxTokens: tt.asked}) {
			t.Error("a chunk or an error")
		}
		if said.most != tt.want {
			t.Errorf("a model of %d, asked for %d: %d tokens, want %d", tt.model, tt.asked, said.most, tt.want)
		}
		if got := p.Limits("m").OutputTokens; got != tt.planned {
			t.Errorf("a model of %d: turns plan with %d tokens, want %d", tt.model, got, tt.planned)
		}
	}
	var last error
	for _, last = range p.Stream(t.Context(), model.Request{Model: "a long name"}) {
		continue
	}
	if f := fault.From(last); f == nil || f.Status != 413 || f.Details["category"] != string(model.RequestTooLarge) {
		t.Errorf("a request over the limit: %v", last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, last = range p.Stream(ctx, model.Request{Model: "m"}) {
		continue
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("after a cancel: %v", last)
	}
}
