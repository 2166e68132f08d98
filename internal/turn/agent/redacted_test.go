package agent

import (
	"encoding/json"
	"testing"

	"belay/internal/model"
	"belay/internal/redact"
)

// What a provider wants back with a call is kept whole, or not at all.
func TestSignaturesWithKeysAreDropped(t *testing.T) {
	t.Parallel()
	const key = "sk-test-0123456789abcdef"
	r := redact.New(key)
	for signature, want := range map[string]string{"c2lnbmVk": "c2lnbmVk", "of " + key: ""} {
		got := withoutKeys(model.ToolCall{ID: "a", Name: "look", Input: json.RawMessage(`{}`), Signature: signature}, r)
		if s := got.(model.ToolCall).Signature; s != want {
			t.Errorf("%q became %q, want %q", signature, s, want)
		}
	}
}

// Of thinking that a provider could not take back any more only the text is kept.
func TestThinkingWithKeysIsNotSentBack(t *testing.T) {
	t.Parallel()
	const key = "sk-test-0123456789abcdef"
	r := redact.New(key)
	for said, want := range map[model.Thinking]model.Thinking{
		{Text: "a", Signature: "b"}:       {Text: "a", Signature: "b"},
		{Text: "a " + key}:                {Text: "a " + redact.Placeholder},
		{Text: "a", Signature: "b" + key}: {Text: "a"},
		{Redacted: key}:                   {},
	} {
		if got := withoutKeys(said, r); got != want {
			t.Errorf("%+v became %+v, want %+v", said, got, want)
		}
	}
}
