package openai

import (
	"bytes"
	"encoding/json"

	"belay/internal/model/upstream"
)

// chunk is one event of an answer. The SDK's own type is not used: it has no
// fields for reasoning, does not take the forms in which servers deviate, and
// keeps the JSON of each field, which takes many times as long.
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
	// Error is there instead when the service fails in the middle.
	Error json.RawMessage `json:"error"`
	// Object is "error" where the error is not in a field of its own.
	Object string `json:"object"`
}

type choice struct {
	Index  int    `json:"index"`
	Delta  delta  `json:"delta"`
	Reason string `json:"finish_reason"`
}

type delta struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
	// Reasoning of local servers: vLLM and Ollama have the second name.
	ReasoningContent string     `json:"reasoning_content"`
	Reasoning        reasoning  `json:"reasoning"`
	ToolCalls        []fragment `json:"tool_calls"`
}

// reasoning is a text; any other form is none that can be shown.
type reasoning string

// UnmarshalJSON implements [json.Unmarshaler].
func (r *reasoning) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return nil
	}
	return json.Unmarshal(data, (*string)(r))
}

// fragment is a piece of a tool call, or a whole one.
type fragment struct {
	// Index tells the calls of an answer apart. Some servers send none.
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// arguments is JSON in a string, or, from some servers, the JSON itself.
type arguments string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *arguments) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		return nil
	case len(data) > 0 && data[0] == '"':
		return json.Unmarshal(data, (*string)(a))
	}
	*a = arguments(data)
	return nil
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
}

// isEnd reports whether data is the end marker of a stream.
func isEnd(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) }

// decode reads one event.
func decode(data []byte) (*chunk, error) {
	c := &chunk{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, &upstream.ProtocolError{What: "an event of the answer is not JSON of the expected form", Err: err}
	}
	if c.Object == "error" || len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return nil, &serviceError{parseError(data)}
	}
	return c, nil
}
