package upstream

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/model"
)

// The measure of AppendText is the standard library.
func TestAppendText(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]string{"\x00", "\xff", "\xe2\x80", "\u2028", "\u2029", "\ufffd", "é", "🎉", "<", "&", ">", "\"", "\\", "\n", "\x1f", "\x7f", "/", "plain "})
	rapid.Check(t, func(t *rapid.T) {
		var s string
		for _, piece := range rapid.SliceOf(rapid.OneOf(odd, rapid.String())).Draw(t, "text") {
			s += piece
		}
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText([]byte("before"), s); string(got) != "before"+string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestPlain(t *testing.T) {
	t.Parallel()
	words := attachment.TextPart{Text: "words"}
	for _, tt := range []struct {
		content []model.Content
		want    string
	}{
		{nil, ""},
		{[]model.Content{model.Text{Text: "words"}}, "words"},
		{[]model.Content{model.Media{Part: words}}, "words"},
		{[]model.Content{model.Text{Text: " \n"}}, ""},
		{[]model.Content{model.Media{Part: words}, model.Text{Text: "more"}}, ""},
		{[]model.Content{model.Thinking{Text: "words"}}, ""},
		{[]model.Content{model.Media{Part: attachment.ImageURLPart{URL: "u"}}}, ""},
		{[]model.Content{model.Media{}}, ""},
	} {
		if text, ok := Plain(&model.Message{Content: tt.content}); ok != (tt.want != "") || ok && text != tt.want {
			t.Errorf("%+v: %q, %v", tt.content, text, ok)
		}
	}
}
