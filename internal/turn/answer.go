package turn

import (
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// answer is what one model call gave.
type answer struct {
	text   strings.Builder
	blocks []session.Block
	calls  []model.ToolCall
	stop   model.StopReason
	usage  model.Usage
	bytes  int64
}

func (a *answer) add(c model.Content) {
	switch c := c.(type) {
	case model.Text:
		a.blocks = append(a.blocks, session.Block{Type: session.BlockText, Text: c.Text})
	case model.Thinking:
		a.blocks = append(a.blocks, session.Block{
			Type: session.BlockThinking, Text: c.Text, Signature: c.Signature, Redacted: c.Redacted,
		})
	case model.ToolCall:
		a.calls = append(a.calls, c)
		a.blocks = append(a.blocks, session.Block{Type: session.BlockToolCall, ID: c.ID, Name: c.Name, Input: c.Input})
	}
}

// weigh counts what the answer has gained, up to the limit in bytes.
func (a *answer) weigh(gained int, limit int64) error {
	if a.bytes += int64(gained); a.bytes > limit {
		return fault.New(fault.SDKFailure, "the answer is longer than %d bytes (turn.answer_bytes)", limit).
			WithStatus(502).With("category", "ANSWER_TOO_LARGE").
			WithHint("ask for less at once, or raise turn.answer_bytes")
	}
	return nil
}

// unsay takes the last n bytes of what was streamed back.
func (a *answer) unsay(n int) {
	text := a.text.String()
	a.text.Reset()
	a.text.WriteString(text[:len(text)-n])
}

// said is the answer's text: what was streamed or, where that is more, what the
// blocks say, because a provider may give a short text whole.
func (a *answer) said() string {
	whole := 0
	for _, b := range a.blocks {
		if b.Type == session.BlockText {
			whole += len(b.Text)
		}
	}
	if whole <= a.text.Len() {
		return a.text.String()
	}
	var text strings.Builder
	for _, b := range a.blocks {
		if b.Type == session.BlockText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// size is, on the high side, how many bytes the answer adds to the next request
// of its turn.
func (a *answer) size() int {
	size := 0
	for _, b := range a.blocks {
		size += len(b.Text) + len(b.Signature) + len(b.Redacted) + len(b.Name) + len(b.Input) + entryBytes
	}
	return size
}

// message is the answer as the next request repeats it, reasoning included.
func (a *answer) message() model.Message {
	m := model.Message{Role: model.Assistant}
	for _, b := range a.blocks {
		switch b.Type {
		case session.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				m.Content = append(m.Content, model.Text{Text: b.Text})
			}
		case session.BlockThinking:
			m.Content = append(m.Content, model.Thinking{Text: b.Text, Signature: b.Signature, Redacted: b.Redacted})
		case session.BlockToolCall:
			m.Content = append(m.Content, toolCall(b))
		}
	}
	return m
}
