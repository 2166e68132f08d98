package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// Covers: turn-api REQ-02, REQ-03
func TestAnswer(t *testing.T) {
	t.Parallel()
	stream := piece(`{"role":"assistant","content":null,"reasoning_content":"Hm"}`) + piece(`{"reasoning_content":"."}`) +
		text("Hel", "lo") +
		piece(`{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"read","arguments":""}}]}`) +
		piece(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}`) +
		piece(`{"tool_calls":[{"index":0,"function":{"arguments":":\"a\"}"}}]}`) +
		piece(`{"tool_calls":[{"index":1,"id":"t2","type":"function","function":{"name":"list","arguments":""}}]}`) +
		ended("tool_calls") + counted + done
	want := []model.Chunk{
		model.ThinkingDelta{Text: "Hm"},
		model.ThinkingDelta{Text: "."},
		model.Block{Content: model.Thinking{Text: "Hm."}},
		model.TextDelta{Text: "Hel"},
		model.TextDelta{Text: "lo"},
		model.Usage{InputTokens: 8, OutputTokens: 7, CacheReadTokens: 3},
		model.Block{Content: model.Text{Text: "Hello"}},
		model.Block{Content: model.ToolCall{ID: "t1", Name: "read", Input: json.RawMessage(`{"path":"a"}`)}},
		model.Block{Content: model.ToolCall{ID: "t2", Name: "list", Input: json.RawMessage(`{}`)}},
		model.Stop{Reason: model.StopToolUse},
	}
	if diff := cmp.Diff(want, answered(t, stream)); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

// A keep-alive says nothing of when the answer comes. Pieces of a call do.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		piece string
		want  model.Alive
	}{
		{": wait\n\n", model.Alive{}},
		{"event: ping\n\n", model.Alive{}},
		{"event: ping\ndata: {}\n\n", model.Alive{}},
		{piece(`{"role":"assistant","content":""}`), model.Alive{}},
		{toolCall(`"index":0,"id":"a","function":{"name":"x","arguments":"{}"}`), model.Alive{Content: true}},
		{toolCall(`"index":0,"id":"a","function":{"arguments":""}`), model.Alive{}},
	} {
		got, err := upstreamtest.Collect(provider(t, upstreamtest.Streaming(t, tt.piece+ended("length")+done)).Stream(t.Context(), ask("x")))
		if err != nil || got[0] != tt.want {
			t.Errorf("%q is %#v, want %#v (%v)", tt.piece, got, tt.want, err)
		}
	}
}

// What a request is, and what it is not: nothing comes from the environment.
func TestRequestHeaders(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	t.Setenv("OPENAI_BASE_URL", "https://environment.example")
	t.Setenv("OPENAI_ORG_ID", "environment")
	t.Setenv("OPENAI_PROJECT_ID", "environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Environment: yes")
	t.Setenv("HTTP_PROXY", "http://environment.example:3128")
	for _, tt := range []struct{ key, authorization, path, base string }{
		{" sk-mine\n", "Bearer sk-mine", "/v1/chat/completions", ""},
		{"", "", "/v1/chat/completions", "/v1/"},
		{"", "", "/v1/chat/completions", "/v1/chat/completions"},
		{"", "", "/api/openai/chat/completions", "/api/openai"},
	} {
		var h http.Header
		var path string
		url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			h, path = r.Header, r.URL.Path
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, hello)
		})
		p := provider(t, url+tt.base, func(o *Options) { o.Key = func() string { return tt.key } })
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x"))); err != nil {
			t.Fatal(err)
		}
		if path != tt.path {
			t.Errorf("base %q: called %s, want %s", tt.base, path, tt.path)
		}
		for name, want := range map[string]string{
			"Authorization": tt.authorization, "Accept": "text/event-stream", "Content-Type": "application/json",
			"X-Environment": "", "Openai-Organization": "", "Openai-Project": "", "Traceparent": "", "Accept-Encoding": "",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}
