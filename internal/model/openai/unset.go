package openai

import (
	"bytes"
	"encoding/json"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// chunks is the stream of a response. Some servers have a field "error" in every chunk, which
// says that there is none. OpenAI's other SDKs read it so; the one for Go ends the stream.
func chunks(res *http.Response) *ssestream.Stream[sdk.ChatCompletionChunk] {
	return ssestream.NewStream[sdk.ChatCompletionChunk](unsetErrors{ssestream.NewDecoder(res)}, nil)
}

// unsetErrors leaves errors that say nothing out of events.
type unsetErrors struct{ ssestream.Decoder }

var errorField = []byte(`"error"`)

// Event implements [ssestream.Decoder].
func (d unsetErrors) Event() ssestream.Event {
	e := d.Decoder.Event()
	if !bytes.Contains(e.Data, errorField) {
		return e
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.Data, &fields) != nil {
		return e // the SDK finds it as well
	}
	switch string(fields["error"]) {
	case "null", "false", `""`, "{}":
		delete(fields, "error")
		if data, err := json.Marshal(fields); err == nil {
			e.Data = data
		}
	}
	return e
}
