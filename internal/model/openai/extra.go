package openai

import "encoding/json"

// signature is what a server sent with a tool call and wants back: the field
// extra_content, where Gemini has the signature of its thoughts. It counts for one model,
// and other servers refuse a field that they do not know.
type signature struct {
	Model string          `json:"model"`
	Extra json.RawMessage `json:"extra_content"`
}

// extraField is the field of a tool call.
const extraField = "extra_content"

// maxExtra bounds what is kept for one call, in bytes.
const maxExtra = 256 << 10

// signed is extra as a call of a model keeps it.
func signed(model string, extra string) string {
	if extra == "" || extra == "null" || len(extra) > maxExtra || !json.Valid([]byte(extra)) {
		return ""
	}
	kept, err := json.Marshal(signature{model, json.RawMessage(extra)})
	if err != nil {
		return "" // it was valid
	}
	return string(kept)
}

// extraOf is what goes back to that model with a call, nil for nothing.
func extraOf(kept, model string) json.RawMessage {
	var s signature
	if kept == "" || json.Unmarshal([]byte(kept), &s) != nil || s.Model != model {
		return nil
	}
	return s.Extra
}
