package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Covers: turn-api REQ-05, REQ-06, REQ-09
func TestNewPrompt(t *testing.T) {
	t.Parallel()
	text := func(s string) attachment.Part { return attachment.TextPart{Text: s} }
	image := attachment.ImagePart{Name: "a.png", MIMEType: "image/png"}
	pdf := attachment.DocumentPart{Name: "b.pdf"}
	tests := []struct {
		name, warning, message string
		files                  []attachment.Part
		want                   model.Prompt
	}{
		{"words alone", "", " hi \n", nil, model.StringPrompt(" hi \n")},
		{"warning and words", "1 refused", "hi", nil, model.StringPrompt("1 refused\n\nhi")},
		{"file and words", "", "hi", []attachment.Part{image}, model.BlockPrompt{text("hi"), image}},
		{"everything in order", "1 refused", "hi", []attachment.Part{image, pdf}, model.BlockPrompt{text("1 refused"), text("hi"), image, pdf}},
		{"blank words are no block", "", " \t\n", []attachment.Part{pdf, image}, model.BlockPrompt{pdf, image}},
		{"warning and blank words", "1 refused", "", []attachment.Part{image}, model.BlockPrompt{text("1 refused"), image}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := model.NewPrompt(tt.warning, tt.message, tt.files)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("prompt (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesAppendsPromptWithoutTouchingHistory(t *testing.T) {
	t.Parallel()
	backing := make([]model.Message, 1, 8)
	backing[0] = model.Message{Role: model.User, Content: []model.Content{model.Text{Text: "a"}}}
	r := model.Request{History: backing, Prompt: model.StringPrompt("b")}
	got := r.Messages()
	want := append([]model.Message{backing[0]}, model.Message{Role: model.User, Content: []model.Content{
		model.Media{Part: attachment.TextPart{Text: "b"}},
	}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if extra := backing[:2][1]; extra.Role != "" {
		t.Errorf("the history's spare capacity was written to: %+v", extra)
	}
	r.Prompt = nil
	if got := r.Messages(); len(got) != 1 {
		t.Errorf("without a prompt there are %d messages, want 1", len(got))
	}
}
