package upstreamtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
)

// maxChecked bounds the requests that are checked, in bytes: the tests of large ones
// count memory.
const maxChecked = 256 << 10

// checked answers a request that the real services refuse as they do, and fails the
// test: a fake that takes more than they do hides faults.
func checked(t testing.TB, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.ContentLength <= 0 || r.ContentLength > maxChecked {
			h(w, r)
			return
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has left
		}
		if wrong := Refusal(raw); wrong != "" {
			t.Errorf("the service refuses the request: %s", wrong)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"type": "invalid_request_error", "message": wrong}})
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		h(w, r)
	}
}

// toolName and cleanID are what names and ids of tool calls look like.
var (
	toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	cleanID  = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// request is what the rules are about, of a request in either protocol.
type request struct {
	Tools json.RawMessage `json:"tools"`
	// MaxTokens is the name of the limit that OpenAI's own host does not get.
	MaxTokens *int `json:"max_tokens"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_calls"`
		CallID string `json:"tool_call_id"`
	} `json:"messages"`
}

// block is a content block of Anthropic's protocol.
type block struct {
	Type    string  `json:"type"`
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	CallID  string  `json:"tool_use_id"`
	IsError bool    `json:"is_error"`
	Content []block `json:"content"`
}

// Refusal says what the services refuse of a request, whatever the model is, or "".
func Refusal(body []byte) string {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return "the body is no JSON: " + err.Error()
	}
	if string(r.Tools) == "[]" {
		return "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."
	}
	var tools []struct {
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	_ = json.Unmarshal(r.Tools, &tools) // else there are none
	for _, t := range tools {
		if name := t.Name + t.Function.Name; !toolName.MatchString(name) {
			return fmt.Sprintf("the name %q of a tool should match pattern '%s'", name, toolName)
		}
	}
	seen, open := map[string]bool{}, map[string]bool{}
	called := func(id, name string) string {
		switch {
		case !toolName.MatchString(name):
			return fmt.Sprintf("the name %q should match pattern '%s'", name, toolName)
		case seen[id]:
			return "`tool_use` ids must be unique: " + id
		}
		seen[id], open[id] = true, true
		return ""
	}
	answered := func(id string) string {
		if !open[id] {
			return fmt.Sprintf("the result of %q has no call before it", id)
		}
		delete(open, id)
		return ""
	}
	for i, m := range r.Messages {
		if r.MaxTokens != nil && m.Role == "user" && i > 0 && r.Messages[i-1].Role == "tool" {
			return "Unexpected role 'user' after role 'tool'" // Mistral's rule
		}
		var blocks []block
		_ = json.Unmarshal(m.Content, &blocks) // else it is a text
		var wrong string
		for _, c := range m.Calls {
			wrong = cmp.Or(wrong, called(c.ID, c.Function.Name))
		}
		if m.Role == "tool" {
			wrong = cmp.Or(wrong, answered(m.CallID))
		}
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				if wrong = cmp.Or(wrong, called(b.ID, b.Name)); !cleanID.MatchString(b.ID) {
					wrong = cmp.Or(wrong, fmt.Sprintf("the id %q should match pattern '%s'", b.ID, cleanID))
				}
			case "tool_result":
				wrong = cmp.Or(cmp.Or(wrong, answered(b.CallID)), b.failedWithFile())
			}
		}
		if wrong != "" {
			return wrong
		}
	}
	return ""
}

// failedWithFile refuses files in a result that says that it failed.
func (b block) failedWithFile() string {
	for _, c := range b.Content {
		if b.IsError && c.Type != "text" {
			return "all content must be type `text` if `is_error` is true"
		}
	}
	return ""
}
