package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// theirs is r as the SDK's own types have it, without any shortcut, and the files of
// which it has placeholders.
func theirs(t *rapid.T, r model.Request) (sdk.MessageNewParams, upstream.Files) {
	b := builder{files: new(upstream.Files), inline: 1 << 40}
	p := sdk.MessageNewParams{Model: r.Model, MaxTokens: r.MaxTokens, Messages: []sdk.MessageParam{}}
	for _, text := range r.System {
		if strings.TrimSpace(text) != "" {
			p.System = append(p.System, sdk.TextBlockParam{Text: text})
		}
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	for i, m := range r.Messages() {
		blocks, err := b.blocks(&m)
		if err != nil {
			t.Fatal(err)
		}
		if i == len(r.History)-1 {
			cacheLast(blocks, func(sdk.ContentBlockParamUnion) bool { return true })
		}
		if i == len(r.History) {
			cacheLast(blocks, isFile)
		}
		if len(blocks) > 0 {
			p.Messages = append(p.Messages, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks})
		}
	}
	for i, s := range r.Tools {
		tool := sdk.ToolParam{Name: s.Name}
		if s.Description != "" {
			tool.Description = param.NewOpt(s.Description)
		}
		if len(s.Schema) > 0 {
			param.SetJSON(s.Schema, &tool.InputSchema)
		}
		if p.System == nil && i == len(r.Tools)-1 {
			tool.CacheControl = sdk.NewCacheControlEphemeralParam()
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &tool})
	}
	return p, *b.files
}

// What goes out is byte for byte what the SDK alone sends, with its own types, for
// any conversation.
func TestBodyIsWhatTheSDKSends(t *testing.T) {
	t.Parallel()
	var got []byte
	url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	})
	p, client := provider(t, url), &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	alone := sdk.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(url), option.WithAPIKey("k"), option.WithoutOpenTelemetry(), option.WithHTTPClient(client))
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " \n", "plain", "<b>&\u2028\xff\"\\"}))
	file := attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored("\x89PNG")}
	content := rapid.Custom(func(t *rapid.T) model.Content {
		text := words.Draw(t, "text")
		return rapid.SampledFrom([]model.Content{
			model.Text{Text: text}, model.Text{Text: text}, model.Media{Part: attachment.TextPart{Text: text}},
			model.Media{Part: file}, model.Media{Part: attachment.TextDocumentPart{Name: text, Content: upstreamtest.Stored(text)}},
			model.Thinking{Text: text, Signature: "c2ln"}, model.ToolCall{ID: "t", Name: "n", Input: json.RawMessage(`{"a":"<&>"}`)},
			model.ToolOutput{CallID: "t", Parts: []attachment.Part{attachment.TextPart{Text: text}, file}},
		}).Draw(t, "content")
	})
	rapid.Check(t, func(t *rapid.T) {
		r := model.Request{
			Model: rapid.SampledFrom([]string{"claude-sonnet-4-20250514", "a\"b"}).Draw(t, "model"), MaxTokens: 7,
			System: rapid.SliceOfN(words, 0, 3).Draw(t, "system"),
			Tools:  toolbox(rapid.IntRange(0, 3).Draw(t, "tools")),
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "messages") {
			r.History = append(r.History, model.Message{
				Role:    []model.Role{model.User, model.Assistant}[i%2],
				Content: rapid.SliceOfN(content, 0, 3).Draw(t, "content"),
			})
		}
		switch prompt := words.Draw(t, "prompt"); rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			r.Prompt = model.StringPrompt(prompt)
		case 1:
			r.Prompt = model.NewPrompt("", prompt, []attachment.Part{file})
		}
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
		ours := string(got)
		params, files := theirs(t, r)
		stream := alone.Messages.NewStreaming(t.Context(), params)
		for stream.Next() {
			continue
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		whole, err := files.Cut(got, 0, upstream.NewBuffers(smallBuffer))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(whole.Open())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), ours); diff != "" {
			t.Fatalf("(-the SDK's +ours):\n%s", diff)
		}
	})
}

// What is read of an event is what the SDK's own type reads.
func TestEventsAreWhatTheSDKReads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(rapid.String().Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.Int64Range(0, 9).Draw(t, "number")
		s := string(text)
		data := []byte(rapid.SampledFrom([]string{
			fmt.Sprintf(`{"type":"message_start","message":{"id":%s,"content":[],"usage":{"input_tokens":%d,"cache_read_input_tokens":null,"output_tokens":1}}}`, s, n),
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":%s,"signature":%s}}`, n, s, s),
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"redacted_thinking","data":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":%s,"name":%s,"input":{"a": %s}}}`, n, s, s, s),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"citations_delta","citation":{"cited_text":%s}}}`, n, s),
			fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, n),
			fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":%d,"input_tokens":null}}`, s, n),
			`{"type":"message_delta","delta":{"stop_reason":null},"usage":null}`, `{"type":"message_stop"}`,
		}).Draw(t, "event"))
		var got event
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		var e sdk.MessageStreamEventUnion
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		want := event{Type: e.Type, Index: e.Index}
		u := e.Message.Usage
		want.Message.Usage = usage{
			count{u.InputTokens, u.JSON.InputTokens.Valid()}, count{u.OutputTokens, u.JSON.OutputTokens.Valid()},
			count{u.CacheReadInputTokens, u.JSON.CacheReadInputTokens.Valid()}, count{u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens.Valid()},
		}
		c, d, m := e.ContentBlock, e.Delta, e.Usage
		b := &want.Block
		b.Type, b.ID, b.Name, b.Text, b.Thinking, b.Signature, b.Data = c.Type, c.ID, c.Name, c.Text, c.Thinking, c.Signature, c.Data
		if raw := c.JSON.Input.Raw(); raw != "" {
			b.Input = json.RawMessage(raw)
		}
		w := &want.Delta
		w.Type, w.Text, w.Thinking, w.Signature, w.PartialJSON, w.StopReason = d.Type, d.Text, d.Thinking, d.Signature, d.PartialJSON, string(d.StopReason)
		want.Usage = usage{
			count{m.InputTokens, m.JSON.InputTokens.Valid()}, count{m.OutputTokens, m.JSON.OutputTokens.Valid()},
			count{m.CacheReadInputTokens, m.JSON.CacheReadInputTokens.Valid()}, count{m.CacheCreationInputTokens, m.JSON.CacheCreationInputTokens.Valid()},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(count{})); diff != "" {
			t.Errorf("%s (-SDK +ours):\n%s", data, diff)
		}
	})
}

// BenchmarkHistory is what the twentieth turn of a conversation costs.
func BenchmarkHistory(b *testing.B) {
	p := provider(b, upstreamtest.Streaming(b, hello))
	r := ask("twenty bytes of text")
	for i := range 40 {
		r.History = append(r.History, model.Message{
			Role:    []model.Role{model.User, model.Assistant}[i%2],
			Content: []model.Content{model.Text{Text: "It is all in the log."}},
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := upstreamtest.Collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}
