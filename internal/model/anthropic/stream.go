package anthropic

import (
	"encoding/json"

	"belay/internal/model/upstream"
)

// serviceError is an error event inside a stream.
type serviceError struct{ kind, message string }

func (e *serviceError) Error() string { return e.kind + ": " + e.message }

// Take implements [upstream.Answer].
func (a *answer) Take(name, data []byte) (upstream.Progress, error) {
	switch string(name) {
	case "message_start", "message_delta", "message_stop",
		"content_block_start", "content_block_delta", "content_block_stop":
	case "error":
		return upstream.Left, inStream(data)
	default:
		// A ping, or an event newer than this code.
		return upstream.Onward(a.Alive()), nil
	}
	a.event = event{}
	if err := json.Unmarshal(data, &a.event); err != nil {
		return upstream.Left, &upstream.ProtocolError{What: "an event of the answer is not JSON of the expected form", Err: err}
	}
	if a.event.Type == "message_stop" {
		return upstream.Ended, nil
	}
	more, err := a.take(&a.event)
	return upstream.Onward(more), err
}

// inStream reads an error event.
func inStream(data []byte) error {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &upstream.ProtocolError{What: "an error event of the answer is not JSON", Err: err}
	}
	return &serviceError{e.Error.Type, e.Error.Message}
}
