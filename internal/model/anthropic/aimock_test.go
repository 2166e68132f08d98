package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream/mocktest"
)

// Covers: turn-api REQ-02, REQ-03, REQ-05
func TestAgainstAnIndependentMock(t *testing.T) {
	t.Parallel()
	url := mocktest.Start(t)
	p := provider(t, url)

	t.Run("text and usage", func(t *testing.T) {
		got, err := collect(p.Stream(t.Context(), ask("greet me")))
		if err != nil {
			t.Fatal(err)
		}
		if text, stop := said(got); text != "Hello from an independent implementation of the protocol." || stop != model.StopEndTurn {
			t.Errorf("said %q, stopped for %q", text, stop)
		}
		if u := lastUsage(got); u.InputTokens != 21 || u.OutputTokens != 9 {
			t.Errorf("usage %+v", u)
		}
	})

	t.Run("reasoning", func(t *testing.T) {
		got, err := collect(p.Stream(t.Context(), ask("think first")))
		if err != nil {
			t.Fatal(err)
		}
		var thought model.Thinking
		for _, c := range got {
			if b, ok := c.(model.Block); ok {
				if th, ok := b.Content.(model.Thinking); ok {
					thought = th
				}
			}
		}
		if thought.Text != "Let me think about it." || thought.Signature == "" {
			t.Errorf("thought %+v", thought)
		}
	})

	t.Run("a loop with two tools", func(t *testing.T) {
		r := ask("read two files")
		r.Tools = []model.ToolSpec{{Name: "read", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
		got, err := collect(p.Stream(t.Context(), r))
		if err != nil {
			t.Fatal(err)
		}
		var answer, results []model.Content
		var paths []string
		for _, c := range got {
			b, ok := c.(model.Block)
			if !ok {
				continue
			}
			answer = append(answer, b.Content)
			if call, ok := b.Content.(model.ToolCall); ok {
				paths = append(paths, string(call.Input))
				results = append(results, model.ToolOutput{CallID: call.ID, Parts: []attachment.Part{attachment.TextPart{Text: "content"}}})
			}
		}
		if diff := cmp.Diff([]string{`{"path":"a.txt"}`, `{"path":"b.txt"}`}, paths); diff != "" {
			t.Fatalf("calls (-want +got):\n%s", diff)
		}
		r.History = append(r.Messages(), model.Message{Role: model.Assistant, Content: answer}, model.Message{Role: model.User, Content: results})
		r.Prompt = nil
		got, err = collect(p.Stream(t.Context(), r))
		if err != nil {
			t.Fatal(err)
		}
		if text, stop := said(got); text != "Both files were read." || stop != model.StopEndTurn {
			t.Errorf("said %q, stopped for %q", text, stop)
		}
	})

	t.Run("an error answer", func(t *testing.T) {
		_, err := collect(p.Stream(t.Context(), ask("slow down")))
		f := wants(t, err, 429, model.RateLimited, true)
		if !strings.Contains(f.Message, "too many requests") {
			t.Errorf("message %q", f.Message)
		}
	})

	t.Run("an answer that was cut off", func(t *testing.T) {
		got, err := collect(p.Stream(t.Context(), ask("cut off")))
		if err != nil {
			t.Fatal(err)
		}
		if _, stop := said(got); stop != model.StopMaxTokens {
			t.Errorf("stopped for %q", stop)
		}
	})

	// The mock parses the whole body, streamed files included, before it
	// answers; what it remembers of it is the words.
	t.Run("a streamed body is a body", func(t *testing.T) {
		r := ask("")
		r.Prompt = model.NewPrompt("", "greet me", []attachment.Part{
			attachment.ImagePart{MIMEType: "image/png", Content: stored("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff", 200_000))},
			attachment.TextDocumentPart{Name: "t.txt", Content: stored(strings.Repeat("words \"and\" more\n", 20_000))},
		})
		got, err := collect(p.Stream(t.Context(), r))
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := said(got); !strings.HasPrefix(text, "Hello") {
			t.Errorf("said %q", text)
		}
	})
}

func said(chunks []model.Chunk) (text string, stop model.StopReason) {
	for _, c := range chunks {
		switch c := c.(type) {
		case model.TextDelta:
			text += c.Text
		case model.Stop:
			stop = c.Reason
		}
	}
	return text, stop
}

func lastUsage(chunks []model.Chunk) (u model.Usage) {
	for _, c := range chunks {
		if now, ok := c.(model.Usage); ok {
			u = now
		}
	}
	return u
}

func BenchmarkTurnAgainstTheMock(b *testing.B) {
	p := provider(b, mocktest.Start(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(p.Stream(b.Context(), ask("greet me"))); err != nil {
			b.Fatal(err)
		}
	}
}
