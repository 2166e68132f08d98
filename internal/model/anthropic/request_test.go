package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// received is one request as the service saw it.
type received struct {
	header http.Header
	length int64
	raw    []byte
	body   map[string]any
}

// recorder is a service that keeps requests and says hello.
func recorder(t testing.TB) (url string, last func() received) {
	seen := make(chan received, 1)
	url = upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("body: %v", err)
		}
		rec := received{header: r.Header, length: r.ContentLength, raw: raw}
		if err := json.Unmarshal(raw, &rec.body); err != nil {
			t.Errorf("the body is not JSON: %v in %.300s", err, raw)
		}
		seen <- rec
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	})
	return url, func() received { return <-seen }
}

type object = map[string]any

// Covers: turn-api REQ-02, REQ-05, REQ-06
func TestRequest(t *testing.T) {
	t.Parallel()
	png, pdf := upstreamtest.Stored("\x89PNG\x00\xff binary"), upstreamtest.Stored("%PDF-1.7 …")
	long := upstreamtest.Stored(strings.Repeat("line of \"text\" <b>&\t\u2028é🎉\n", 4000))
	r := model.Request{
		Model:     "claude-sonnet-4-20250514",
		MaxTokens: 512,
		System:    []string{"persona", " ", "notes"},
		Tools:     []model.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)}},
		History: []model.Message{
			{Role: model.User, Content: []model.Content{
				model.Media{Part: attachment.TextPart{Text: "earlier"}},
				model.Media{Part: attachment.ImagePart{Name: "old.png", MIMEType: "image/png", Content: png}},
			}},
			{Role: model.Assistant, Content: []model.Content{
				model.Thinking{Text: "hm", Signature: "c2ln"},
				model.Thinking{Redacted: "b3BhcXVl"},
				model.Thinking{Text: "from another provider"},
				model.Text{Text: "  "},
				model.Text{Text: "reading"},
				model.ToolCall{ID: "t1", Name: "read", Input: json.RawMessage(`{"path":"a"}`)},
				model.ToolCall{ID: "t2", Name: "read"},
			}},
			{Role: model.User, Content: []model.Content{
				model.ToolOutput{CallID: "t1", Parts: []attachment.Part{attachment.TextPart{Text: "out"}, attachment.ImagePart{MIMEType: "image/gif", Content: png}}},
				model.ToolOutput{CallID: "t2", Failed: true},
			}},
			{Role: model.Assistant, Content: []model.Content{model.Text{Text: "done"}, model.Thinking{Text: "late", Signature: "c2ln"}}},
		},
		Prompt: model.NewPrompt("1 file refused", "look <here>", []attachment.Part{
			attachment.DocumentPart{Name: "r.pdf", MIMEType: "application/pdf", Content: pdf},
			attachment.TextDocumentPart{Name: "s.csv", MIMEType: "text/csv", Content: upstreamtest.Stored("a,b\n1,2\n")},
			attachment.TextDocumentPart{Name: "l.txt", MIMEType: "text/plain", Content: long},
			attachment.TextDocumentPart{Name: "e.txt", MIMEType: "text/plain", Content: upstreamtest.Stored("")},
			attachment.TextPart{Text: "x.heic cannot be sent"},
			attachment.ImageURLPart{Name: "u.png", URL: "https://example.com/u.png", Detail: "low"},
			attachment.MediaPart{Kind: attachment.KindAudio, Name: "a.wav", MIMEType: "audio/wav", Content: png},
		}),
	}
	url, last := recorder(t)
	p := provider(t, url)
	if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
		t.Fatal(err)
	}
	got := last()

	cache := object{"type": "ephemeral"}
	words := func(s string) object { return object{"type": "text", "text": s} }
	file := func(kind, mime string, c upstreamtest.Stored) object {
		return object{"type": kind, "source": object{"type": "base64", "media_type": mime, "data": base64.StdEncoding.EncodeToString(c)}}
	}
	document := func(name string, c upstreamtest.Stored) object {
		return object{"type": "document", "title": name, "source": object{"type": "text", "media_type": "text/plain", "data": string(c)}}
	}
	and := func(o object, key string, value any) object { o[key] = value; return o }
	want := object{
		"model": "claude-sonnet-4-20250514", "max_tokens": 512.0, "stream": true,
		"system": []any{words("persona"), and(words("notes"), "cache_control", cache)},
		"tools": []any{object{"name": "read", "description": "reads", "input_schema": object{
			"type": "object", "properties": object{"path": object{"type": "string"}}, "required": []any{"path"}, "additionalProperties": false,
		}}},
		"messages": []any{
			object{"role": "user", "content": []any{words("earlier"), file("image", "image/png", png)}},
			object{"role": "assistant", "content": []any{
				object{"type": "thinking", "thinking": "hm", "signature": "c2ln"},
				object{"type": "redacted_thinking", "data": "b3BhcXVl"},
				words("reading"),
				object{"type": "tool_use", "id": "t1", "name": "read", "input": object{"path": "a"}},
				object{"type": "tool_use", "id": "t2", "name": "read", "input": object{}},
			}},
			object{"role": "user", "content": []any{
				object{"type": "tool_result", "tool_use_id": "t1", "content": []any{words("out"), file("image", "image/gif", png)}},
				object{"type": "tool_result", "tool_use_id": "t2", "is_error": true},
			}},
			object{"role": "assistant", "content": []any{
				and(words("done"), "cache_control", cache),
				object{"type": "thinking", "thinking": "late", "signature": "c2ln"},
			}},
			object{"role": "user", "content": []any{
				words("1 file refused"), words("look <here>"),
				and(file("document", "application/pdf", pdf), "title", "r.pdf"),
				document("s.csv", upstreamtest.Stored("a,b\n1,2\n")),
				document("l.txt", long),
				words(`The file "e.txt" is empty.`),
				words("x.heic cannot be sent"),
				object{"type": "image", "source": object{"type": "url", "url": "https://example.com/u.png"}, "cache_control": cache},
				words(`[The audio "a.wav" was left out: it cannot be sent.]`),
			}},
		},
	}
	if diff := cmp.Diff(want, got.body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got.length != int64(len(got.raw)) {
		t.Errorf("Content-Length %d for %d bytes", got.length, len(got.raw))
	}
	if n := strings.Count(string(got.raw), "cache_control"); n > 4 {
		t.Errorf("%d cache marks, the service takes 4", n)
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "token-from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "https://environment.example")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Environment: yes")
	t.Setenv("HTTP_PROXY", "http://environment.example:3128")
	url, last := recorder(t)
	p := provider(t, url, func(o *Options) {
		o.Version = "2099-12-31"
		o.Key = func() string { return " sk-mine\n" }
	})
	if _, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x"))); err != nil {
		t.Fatal(err)
	}
	h := last().header
	for name, want := range map[string]string{
		"X-Api-Key": "sk-mine", "Anthropic-Version": "2099-12-31", "Accept": "text/event-stream",
		"Content-Type": "application/json", "Authorization": "", "X-Environment": "", "Traceparent": "",
		"Accept-Encoding": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestToolsAreCachedWithoutASystemPrompt(t *testing.T) {
	t.Parallel()
	url, last := recorder(t)
	r := ask("x")
	r.Tools = []model.ToolSpec{{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "b", Schema: json.RawMessage(`{"type":"object"}`)}}
	if _, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), r)); err != nil {
		t.Fatal(err)
	}
	tools := last().body["tools"].([]any)
	if tools[0].(object)["cache_control"] != nil || tools[1].(object)["cache_control"] == nil {
		t.Errorf("cache marks on the tools: %v", tools)
	}
}

// asking is a request for an answer of so many tokens.
func asking(tokens int64) model.Request {
	r := ask("x")
	r.MaxTokens = tokens
	return r
}

func TestMaxTokens(t *testing.T) {
	t.Parallel()
	full := ask(strings.Repeat("x", 4*170_000)) // leaves 30k of the context
	tests := []struct {
		name    string
		request model.Request
		limit   int64
		want    int64
	}{
		{"the model's own", ask("x"), 0, 64_000},
		{"as configured", ask("x"), 100, 100},
		{"never over the model's", ask("x"), 1e9, 64_000},
		{"what the context has left", full, 0, 30_000},
		{"as asked for", asking(7), 100, 7},
		{"never over the configured", asking(700), 100, 100},
	}
	for _, tt := range tests {
		url, last := recorder(t)
		p := provider(t, url, func(o *Options) { o.MaxTokens = tt.limit })
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), tt.request)); err != nil {
			t.Fatal(err)
		}
		if got := last().body["max_tokens"]; got != float64(tt.want) {
			t.Errorf("%s: %v, want %d", tt.name, got, tt.want)
		}
	}
}

// The same request must give the same bytes, or prompt caches do not hold.
func TestRequestsAreDeterministic(t *testing.T) {
	t.Parallel()
	url, last := recorder(t)
	p := provider(t, url)
	r := ask("x")
	r.Prompt = model.BlockPrompt{attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored("123")}}
	r.Tools = []model.ToolSpec{{Name: "a", Schema: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{},"m":{}}}`)}}
	var bodies []string
	for range 3 {
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(last().raw))
	}
	if bodies[0] != bodies[1] || bodies[1] != bodies[2] {
		t.Errorf("bodies differ:\n%s", strings.Join(bodies, "\n"))
	}
}
