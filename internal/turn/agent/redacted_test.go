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
