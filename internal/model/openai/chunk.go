package openai

import (
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
)

// reasoning returns the reasoning in d and the field that it is in. The protocol has
// no field for it: vLLM and Ollama send "reasoning", others "reasoning_content".
func reasoning(d *sdk.ChatCompletionChunkChoiceDelta) (text, field string) {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		if text := asString(d.JSON.ExtraFields[field]); text != "" {
			return text, field
		}
	}
	return "", ""
}

// asString returns the string that f holds, or "" for any other value.
func asString(f respjson.Field) string {
	var s string
	_ = json.Unmarshal([]byte(f.Raw()), &s) // other values are no text to show
	return s
}

// fragment is a piece of a tool call, or a whole one.
type fragment struct {
	// index tells the calls of an answer apart. Some servers send none.
	index     *int64
	id, name  string
	arguments string
	// extra is what the server wants back with the call.
	extra string
}

// fragmentOf reads a piece of a tool call. Some servers send the arguments as JSON
// instead of JSON in a string.
func fragmentOf(c *sdk.ChatCompletionChunkChoiceDeltaToolCall) fragment {
	f := fragment{id: c.ID, name: c.Function.Name, arguments: c.Function.Arguments, extra: c.JSON.ExtraFields[extraField].Raw()}
	if c.JSON.Index.Valid() {
		f.index = &c.Index
	}
	if raw := c.Function.JSON.Arguments.Raw(); raw != "" && raw != "null" && raw[0] != '"' {
		f.arguments = raw
	}
	return f
}
