package upstream

import (
	"encoding/json"
	"strings"

	"belay/internal/event"
)

// CallInput is the input of a tool call as a tool gets it: a JSON object. None at all
// is an empty one. A model may write input that is no JSON, or no object. The call is
// then made with a field that no tool has, so every tool refuses it, and the model
// reads what was wrong and can do better.
func CallInput(written string) json.RawMessage {
	written = strings.TrimSpace(written)
	switch {
	case written == "" || written == "null":
		return json.RawMessage("{}")
	case strings.HasPrefix(written, "{") && json.Valid([]byte(written)):
		return json.RawMessage(written)
	}
	if len(written) > maxUnreadable {
		written = strings.ToValidUTF8(written[:maxUnreadable], "")
	}
	return append(event.AppendString([]byte(`{"arguments that are no JSON object":`), written), '}')
}

// maxUnreadable is what the model gets back of input that is no JSON, in bytes.
const maxUnreadable = 1 << 10
