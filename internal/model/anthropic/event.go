package anthropic

import (
	"encoding/json"
	"strconv"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// event is one event of an answer, with what is read of it. The SDK's own type is
// not used: it keeps the JSON of each field and has room for every kind of block
// that there is, which takes twenty times as long and 5 KB each time.
type event struct {
	Type    string `json:"type"`
	Index   int64  `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		Input     json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage is what the service counted. Counts are cumulative.
type usage struct {
	Input      count `json:"input_tokens"`
	Output     count `json:"output_tokens"`
	CacheRead  count `json:"cache_read_input_tokens"`
	CacheWrite count `json:"cache_creation_input_tokens"`
}

// addTo takes the counts over; those that the service left out stay as they were.
func (u *usage) addTo(sum *model.Usage) {
	u.Input.set(&sum.InputTokens)
	u.Output.set(&sum.OutputTokens)
	u.CacheRead.set(&sum.CacheReadTokens)
	u.CacheWrite.set(&sum.CacheWriteTokens)
}

// count is a number of tokens. A gateway that counts in another form than a whole
// number costs the count, not the answer.
type count struct {
	n     int64
	given bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseInt(string(data), 10, 64)
	if err == nil && n >= 0 {
		*c = count{upstream.TokenCount(n), true}
	}
	return nil
}

func (c count) set(to *int64) {
	if c.given {
		*to = c.n
	}
}
