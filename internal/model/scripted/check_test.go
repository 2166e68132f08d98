package scripted_test

import (
	"strings"
	"testing"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
)

// Covers: turn-api REQ-06
func TestRequestsThatTheServiceRefuses(t *testing.T) {
	t.Parallel()
	say := func(role model.Role, words string) model.Message {
		return model.Message{Role: role, Content: []model.Content{model.Text{Text: words}}}
	}
	with := func(parts ...attachment.Part) model.Request {
		return model.Request{Model: sonnet, Prompt: model.BlockPrompt(parts)}
	}
	image := func(size int64, side int) attachment.Part {
		return attachment.ImagePart{Name: "i", MIMEType: "image/png", Width: side, Height: 10, Content: sized(size)}
	}
	many := func(n int, p attachment.Part) (all []attachment.Part) {
		for range n {
			all = append(all, p)
		}
		return all
	}
	pdf := func(size int64, pages int) attachment.Part {
		return attachment.DocumentPart{Name: "d", MIMEType: "application/pdf", Pages: pages, Content: sized(size)}
	}
	history := func(m ...model.Message) model.Request {
		return model.Request{Model: sonnet, History: m, Prompt: model.StringPrompt("now")}
	}
	call := model.Message{Role: model.Assistant, Content: []model.Content{model.ToolCall{ID: "c1", Name: "read"}}}
	result := func(id string) model.Message {
		return model.Message{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: id}}}
	}
	loop := func(m ...model.Message) model.Request { return model.Request{Model: sonnet, History: m} }
	tooMuch := ask("x")
	tooMuch.MaxTokens = 64_001
	const mib = 1 << 20

	tests := []struct {
		name    string
		request model.Request
		reason  string // "" is accepted
	}{
		{"an image of 5 MiB", with(image(5*mib, 100)), ""},
		{"one byte more", with(image(5*mib+1, 100)), "exceed"},
		{"a side of 8000", with(image(9, 8000)), ""},
		{"a side of 8001", with(image(9, 8001)), "side"},
		{"20 images of 8000", with(many(20, image(9, 8000))...), ""},
		{"21 images of 2000", with(many(21, image(9, 2000))...), ""},
		{"21 images of 2001", with(many(21, image(9, 2001))...), "side"},
		{"100 images", with(many(100, image(9, 100))...), ""},
		{"101 images", with(many(101, image(9, 100))...), "images"},
		{"sound", with(attachment.MediaPart{Kind: attachment.KindAudio, MIMEType: "audio/wav", Content: sized(1)}), "type"},
		{"a BMP", with(attachment.ImagePart{MIMEType: "image/bmp", Content: sized(1)}), "type"},
		{"68 pages", with(pdf(9, 68)), ""},
		{"101 pages", with(pdf(9, 101)), "pages"},
		{"two files with 101 pages", with(pdf(9, 60), pdf(9, 41)), "pages"},
		{"more than 32 MiB in base64", with(pdf(25*mib, 1)), "bytes"},
		{"a prompt over the context", with(attachment.TextPart{Text: strings.Repeat("x", 800_001)}), "too long"},
		{"max tokens over the model's", tooMuch, "max_tokens"},
		{"a conversation", history(say(model.User, "a"), say(model.Assistant, "b")), ""},
		{"two user messages", history(say(model.User, "a")), "role"},
		{"assistant first", history(say(model.Assistant, "a")), "role"},
		{"an empty message", history(model.Message{Role: model.User}, say(model.Assistant, "b")), "empty"},
		{"no message", loop(), "at least one"},
		{"assistant last", loop(say(model.User, "a"), say(model.Assistant, "b")), "last"},
		{"a tool result", loop(say(model.User, "a"), call, result("c1")), ""},
		{"a result for another call", loop(say(model.User, "a"), call, result("c2")), "c2"},
		{"a call without a result", loop(say(model.User, "a"), call, say(model.User, "b")), "no result"},
		{"a result without a call", loop(result("c1")), "did not call"},
	}
	p := scripted.New(scripted.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := collect(p.Stream(t.Context(), tt.request))
			f := fault.From(err)
			switch {
			case tt.reason == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.reason != "" && (f == nil || f.Type != fault.SDKFailure || f.Status != 400 || !strings.Contains(f.Message, tt.reason)):
				t.Errorf("got %v, want a 400 with %q", err, tt.reason)
			}
		})
	}
}
