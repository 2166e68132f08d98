package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// theirs is r as the SDK's own types have it, without any shortcut, and the files of
// which it has placeholders.
func theirs(t *rapid.T, r model.Request) (sdk.ChatCompletionNewParams, upstream.Files) {
	b := builder{files: new(upstream.Files), inline: 1 << 40}
	p := sdk.ChatCompletionNewParams{
		Model: r.Model, MaxTokens: param.NewOpt(r.MaxTokens),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if system := joined(r.System); system != "" {
		p.Messages = append(p.Messages, sdk.SystemMessage(system))
	}
	all := (*messages)(&p.Messages)
	for _, m := range r.Messages() {
		if m.Role == model.Assistant {
			b.said(all, &m, false)
		} else if err := b.given(all, &m); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range r.Tools {
		f := shared.FunctionDefinitionParam{Name: s.Name, Description: param.NewOpt(s.Description)}
		f.SetExtraFields(map[string]any{"parameters": s.Schema})
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(f))
	}
	return p, *b.files
}

// What goes out is what the SDK alone sends, with its own types, for any
// conversation. Only the escapes of letters are others.
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
	alone := sdk.NewChatCompletionService(option.WithBaseURL(url+"/v1/"), option.WithAPIKey("k"), option.WithHTTPClient(client))
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " \n", "plain", "<b>&\u2028\xff\"\\"}))
	content := rapid.Custom(func(t *rapid.T) model.Content {
		text := words.Draw(t, "text")
		file := attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored("\x89PNG")}
		return rapid.SampledFrom([]model.Content{
			model.Text{Text: text}, model.Text{Text: text}, model.Media{Part: attachment.TextPart{Text: text}}, model.Media{Part: file},
			model.Media{Part: attachment.TextDocumentPart{Name: "<a>", Content: upstreamtest.Stored(text)}},
			model.ToolOutput{CallID: "t", Parts: []attachment.Part{attachment.TextPart{Text: text}, file}},
		}).Draw(t, "content")
	})
	spoken := rapid.Custom(func(t *rapid.T) model.Content {
		text := words.Draw(t, "text")
		return rapid.SampledFrom([]model.Content{
			model.Text{Text: text}, model.Thinking{Text: text}, model.ToolCall{ID: "t", Name: "n", Input: json.RawMessage(`{"a":"<&>"}`)},
		}).Draw(t, "content")
	})
	rapid.Check(t, func(t *rapid.T) {
		r := model.Request{
			Model: rapid.SampledFrom([]string{"llama", "a\"b"}).Draw(t, "model"), MaxTokens: 7,
			System: rapid.SliceOfN(words, 0, 3).Draw(t, "system"), Prompt: model.StringPrompt("go " + words.Draw(t, "prompt")),
		}
		for range rapid.IntRange(0, 2).Draw(t, "tools") {
			r.Tools = append(r.Tools, model.ToolSpec{Name: "n", Description: "what <it> does", Schema: json.RawMessage(`{"type":"object"}`)})
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "messages") {
			r.History = append(r.History, model.Message{
				Role:    []model.Role{model.User, model.Assistant}[i%2],
				Content: rapid.SliceOfN([]*rapid.Generator[model.Content]{content, spoken}[i%2], 0, 3).Draw(t, "content"),
			})
		}
		if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
		ours := got
		params, files := theirs(t, r)
		stream := alone.NewStreaming(t.Context(), params)
		for stream.Next() {
			continue
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		whole, err := files.Cut(got, 0, upstream.NewBuffers(16))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(whole.Open())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, ours)); diff != "" {
			t.Fatalf("(-the SDK's +ours):\n%s", diff)
		}
	})
}
