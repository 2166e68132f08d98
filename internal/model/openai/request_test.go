package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

type object = map[string]any

// sent is the body of r as it goes out, files and all.
func sent(t interface{ Fatal(...any) }, r model.Request, change func(*builder)) ([]byte, int64) {
	b := builder{files: new(upstream.Files), inline: upstream.InlineText}
	if change != nil {
		change(&b)
	}
	params, err := b.params(r, model.OpenAI().Limits(r.Model))
	if err != nil {
		t.Fatal(err)
	}
	text, err := params.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	load, err := b.files.Cut(text, 0, upstream.NewBuffers(16))
	if err != nil {
		t.Fatal(err)
	}
	body := load.Open()
	defer body.Close()
	all, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return all, load.Size()
}

func decoded(t interface{ Fatal(...any) }, raw []byte) (body object) {
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal("the body is not JSON", err, string(raw[:min(len(raw), 300)]))
	}
	return body
}

// talk is a request with everything in it that a conversation can hold.
func talk() model.Request {
	png, pdf, wav := upstreamtest.Stored("\x89PNG\x00\xff binary"), upstreamtest.Stored("%PDF-1.7 …"), upstreamtest.Stored("RIFF\x00\xff")
	return model.Request{
		Model:     "gpt-4.1",
		MaxTokens: 512,
		System:    []string{"persona", " ", "notes"},
		Tools:     []model.ToolSpec{{Name: "read", Description: "reads <files>", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}, {Name: "list"}},
		History: []model.Message{
			{Role: model.User, Content: []model.Content{
				model.Media{Part: attachment.TextPart{Text: "earlier"}},
				model.Media{Part: attachment.ImagePart{Name: "old.png", MIMEType: "image/png", Detail: "low", Content: png}},
			}},
			{Role: model.Assistant, Content: []model.Content{
				model.Thinking{Text: "of an older question"},
				model.Text{Text: "  "},
				model.Text{Text: "reading"},
				model.ToolCall{ID: "t0", Name: "list"},
			}},
			{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: "t0"}}},
			{Role: model.Assistant, Content: []model.Content{model.Thinking{Text: "only a thought"}}},
			{Role: model.User, Content: []model.Content{
				model.Media{Part: attachment.TextPart{Text: "look <here>"}},
				model.Media{Part: attachment.TextDocumentPart{Name: "l.txt", Content: upstreamtest.Stored(strings.Repeat("line of \"text\" <b>&\t\u2028é🎉\n", 4000))}},
				model.Media{Part: attachment.TextDocumentPart{Name: "e.txt", Content: upstreamtest.Stored("")}},
				model.Media{Part: attachment.DocumentPart{Name: "r.pdf", MIMEType: "application/pdf", Content: pdf}},
				model.Media{Part: attachment.ImageURLPart{Name: "u.png", URL: "https://example.com/u.png", Detail: "high"}},
				model.Media{Part: attachment.MediaPart{Kind: attachment.KindAudio, Name: "s.wav", MIMEType: "audio/wav", Content: wav}},
			}},
			{Role: model.Assistant, Content: []model.Content{
				model.Thinking{Text: "hm"},
				model.Thinking{Text: "another provider's", Signature: "c2ln"},
				model.ToolCall{ID: "t1", Name: "read", Input: json.RawMessage(`{"path":"a"}`)},
				model.ToolCall{ID: "t2", Name: "read", Input: json.RawMessage(`{"path":"b"}`)},
			}},
			{Role: model.User, Content: []model.Content{
				model.ToolOutput{CallID: "t1", Parts: []attachment.Part{
					attachment.ImagePart{MIMEType: "image/gif", Content: png},
					attachment.TextDocumentPart{Name: "d.txt", Content: upstreamtest.Stored("words")},
				}},
				model.ToolOutput{CallID: "t2", Failed: true, Parts: []attachment.Part{attachment.TextPart{Text: "no such file"}}},
				model.Text{Text: "go on"},
			}},
		},
	}
}

// Covers: turn-api REQ-02, REQ-05, REQ-06
func TestRequest(t *testing.T) {
	t.Parallel()
	r := talk()
	raw, size := sent(t, r, func(b *builder) { b.own = true; b.inline = 4 })
	if size != int64(len(raw)) {
		t.Errorf("announced %d bytes, sent %d", size, len(raw))
	}
	long := strings.Repeat("line of \"text\" <b>&\t\u2028é🎉\n", 4000)
	words := func(s string) object { return object{"type": "text", "text": s} }
	image := func(kind, data, detail string) object {
		u := object{"url": "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))}
		if detail != "" {
			u["detail"] = detail
		}
		return object{"type": "image_url", "image_url": u}
	}
	call := func(id, name, input string) object {
		return object{"id": id, "type": "function", "function": object{"name": name, "arguments": input}}
	}
	want := object{
		"model": "gpt-4.1", "max_completion_tokens": 512.0, "stream_options": object{"include_usage": true},
		"tools": []any{
			object{"type": "function", "function": object{"name": "read", "description": "reads <files>", "parameters": object{
				"type": "object", "properties": object{"path": object{"type": "string"}},
			}}},
			object{"type": "function", "function": object{"name": "list"}},
		},
		"messages": []any{
			object{"role": "system", "content": "persona\n\nnotes"},
			object{"role": "user", "content": []any{words("earlier"), image("image/png", "\x89PNG\x00\xff binary", "low")}},
			object{"role": "assistant", "content": "reading", "tool_calls": []any{call("t0", "list", "{}")}},
			object{"role": "tool", "tool_call_id": "t0", "content": "[nothing]"},
			object{"role": "user", "content": []any{
				words("look <here>"), words("[The file \"l.txt\" begins.]\n" + long + "\n[The file \"l.txt\" ends.]"), words(`The file "e.txt" is empty.`),
				object{"type": "file", "file": object{"filename": "r.pdf", "file_data": "data:application/pdf;base64," + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 …"))}},
				object{"type": "image_url", "image_url": object{"url": "https://example.com/u.png", "detail": "high"}},
				object{"type": "input_audio", "input_audio": object{"format": "wav", "data": base64.StdEncoding.EncodeToString([]byte("RIFF\x00\xff"))}},
			}},
			object{"role": "assistant", "tool_calls": []any{call("t1", "read", `{"path":"a"}`), call("t2", "read", `{"path":"b"}`)}},
			object{"role": "tool", "tool_call_id": "t1", "content": "[The file \"d.txt\" begins.]\nwords\n[The file \"d.txt\" ends.]\n\n[Files of the result follow behind the results.]"},
			object{"role": "tool", "tool_call_id": "t2", "content": "The call failed.\n\nno such file"},
			object{"role": "user", "content": []any{words("[Of the result of t1:]"), image("image/gif", "\x89PNG\x00\xff binary", ""), words("go on")}},
		},
	}
	if diff := cmp.Diff(want, decoded(t, raw)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// Another server than OpenAI's gets the older name of the limit, and the reasoning
// of the answer that is being made, in the field in which it sends it.
func TestRequestToAnotherServer(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"", "reasoning", "reasoning_content"} {
		r := talk()
		r.History[6].Content = r.History[6].Content[:2] // results alone: the question is before
		raw, _ := sent(t, r, func(b *builder) { b.back.field = field })
		body := decoded(t, raw)
		if body["max_tokens"] != 512.0 || body["max_completion_tokens"] != nil {
			t.Errorf("limits %v and %v", body["max_tokens"], body["max_completion_tokens"])
		}
		var thoughts []string
		for i, m := range body["messages"].([]any) {
			for _, name := range []string{"reasoning", "reasoning_content"} {
				if thought := m.(object)[name]; thought != nil {
					thoughts = append(thoughts, fmt.Sprint(i, name, thought))
				}
			}
		}
		var want []string
		if field != "" {
			want = []string{"6" + field + "hm"} // after the line before the next question
		}
		if diff := cmp.Diff(want, thoughts); diff != "" {
			t.Errorf("%q: reasoning (-want +got):\n%s", field, diff)
		}
	}
}

// The field is learnt from the server's last answer.
func TestReasoningGoesBackWhereItCameFrom(t *testing.T) {
	t.Parallel()
	var body []byte
	url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, piece(`{"reasoning":"Hm."}`)+ended("stop")+done)
	})
	p := provider(t, url)
	r := ask("x")
	r.History, r.Prompt = append(r.Messages(), model.Message{Role: model.Assistant, Content: []model.Content{
		model.Thinking{Text: "so be it"}, model.ToolCall{ID: "t", Name: "n"},
	}}, model.Message{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: "t"}}}), nil
	for i, want := range []bool{false, true} {
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(body, []byte(`"reasoning":"so be it"`)); got != want {
			t.Errorf("call %d: reasoning is in the request: %v, want %v", i, got, want)
		}
	}
}

// A message of text is a text, however many parts it has.
func TestTextIsSentAsText(t *testing.T) {
	t.Parallel()
	r := ask("")
	r.Prompt = model.NewPrompt("1 file refused", "look", []attachment.Part{
		attachment.TextPart{Text: " "}, attachment.TextDocumentPart{Name: "a.csv", Content: upstreamtest.Stored("a,b\n")},
	})
	raw, _ := sent(t, r, nil)
	got := decoded(t, raw)["messages"].([]any)[0].(object)["content"]
	if want := "1 file refused\n\nlook\n\n[The file \"a.csv\" begins.]\na,b\n\n[The file \"a.csv\" ends.]"; got != want {
		t.Errorf("content %q, want %q", got, want)
	}
}

// What is streamed must be what a short document would be, whatever is in it.
//
// Covers: turn-api REQ-06
func TestStreamedBodyIsTheInlineBody(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]string{"\x00", "\xff", "\xe2\x80", "\u2028", "\ufffd", "é", "🎉", "<", "&", "\"", "\\", "\n", "\x1f", "\x7f", "plain "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(odd, 1, 60).Draw(t, "text"), "")
		r := model.Request{Model: "m", MaxTokens: 1, Prompt: model.BlockPrompt{
			attachment.TextDocumentPart{Name: "a", Content: upstreamtest.Stored(text)}, attachment.TextPart{Text: text},
			attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored(text)},
			attachment.TextDocumentPart{Name: "b", Content: upstreamtest.Stored(text)},
		}}
		var bodies [2]object
		for i, inline := range []int64{0, 1 << 40} {
			raw, size := sent(t, r, func(b *builder) { b.inline = inline })
			if size != int64(len(raw)) {
				t.Fatalf("announced %d bytes, sent %d", size, len(raw))
			}
			if err := json.Unmarshal(raw, &bodies[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(bodies[1], bodies[0]); diff != "" {
			t.Fatalf("(-inline +streamed):\n%s", diff)
		}
	})
}

func TestMaxTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		url         string
		asked, most int64
		want        int64
	}{
		{"a quarter of a local context", "", 0, 0, DefaultContext / 4},
		{"as configured", "", 0, 100, 100},
		{"as asked for", "", 7, 100, 7},
		{"never over the configured", "", 700, 100, 100},
	} {
		var body object
		url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			body = decoded(t, raw)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, hello)
		})
		r := ask("x")
		r.MaxTokens = tt.asked
		if _, err := upstreamtest.Collect(provider(t, url, func(o *Options) { o.MaxTokens = tt.most }).Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
		if body["max_tokens"] != float64(tt.want) || body["stream"] != true {
			t.Errorf("%s: %v, want %d", tt.name, body["max_tokens"], tt.want)
		}
	}
}

func TestContentThatCannotBeSent(t *testing.T) {
	t.Parallel()
	p := provider(t, upstreamtest.Streaming(t, hello))
	for _, part := range []attachment.Part{
		attachment.MediaPart{Kind: attachment.KindVideo, MIMEType: "video/mp4", Content: upstreamtest.Stored("x")},
	} {
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), model.Request{Model: "m", Prompt: model.BlockPrompt{part}})); err == nil {
			t.Errorf("%T was sent", part)
		}
	}
}

func TestLargeAttachmentsAreNotHeld(t *testing.T) { kit.Memory(t) }
