package conversation

import (
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/session"
)

// Answer is what one model call gave.
type Answer struct {
	// Text is what was streamed.
	Text   strings.Builder
	Blocks []session.Block
	Calls  []model.ToolCall
	Stop   model.StopReason
	Usage  model.Usage
	bytes  int64
}

// Add takes a whole block. A call with the id of an earlier one of the answer gets an id of
// its own: the id is all that says whose a result is.
func (a *Answer) Add(c model.Content) {
	switch c := c.(type) {
	case model.Text:
		a.Blocks = append(a.Blocks, session.Block{Type: session.BlockText, Text: c.Text})
	case model.Thinking:
		a.Blocks = append(a.Blocks, session.Block{
			Type: session.BlockThinking, Text: c.Text, Signature: c.Signature, Redacted: c.Redacted,
		})
	case model.ToolCall:
		c.ID = a.uniqueID(c.ID)
		a.Calls = append(a.Calls, c)
		a.Blocks = append(a.Blocks, session.Block{Type: session.BlockToolCall, ID: c.ID, Name: c.Name, Input: c.Input, Signature: c.Signature})
	}
}

// uniqueID is an id that no call of the answer has.
func (a *Answer) uniqueID(id string) string {
	taken := func(id string) bool {
		return slices.ContainsFunc(a.Calls, func(c model.ToolCall) bool { return c.ID == id })
	}
	unique := id
	for n := 2; taken(unique); n++ {
		unique = id + "_" + strconv.Itoa(n)
	}
	return unique
}

// Grow counts what the answer has gained, up to the limit in bytes.
func (a *Answer) Grow(gained int, limit int64) error {
	if a.bytes += int64(gained); a.bytes > limit {
		return fault.New(fault.SDKFailure, "the answer is longer than %d bytes", limit).
			WithStatus(502).With("category", "ANSWER_TOO_LARGE").
			WithHint("ask for less at once")
	}
	return nil
}

// Unsay takes the last n bytes of what was streamed back, and so what a provider gave whole.
func (a *Answer) Unsay(n int) {
	if n > 0 {
		a.Blocks = slices.DeleteFunc(a.Blocks, func(b session.Block) bool { return b.Type == session.BlockText })
	}
	text := a.Text.String()
	a.Text.Reset()
	a.Text.WriteString(text[:len(text)-n])
}

// Said is the answer's text: what was streamed or, where that is more, what the
// blocks say, because a provider may give a short text whole.
func (a *Answer) Said() string {
	whole := 0
	for _, b := range a.Blocks {
		if b.Type == session.BlockText {
			whole += len(b.Text)
		}
	}
	if whole <= a.Text.Len() {
		return a.Text.String()
	}
	var text strings.Builder
	for _, b := range a.Blocks {
		if b.Type == session.BlockText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// size is, on the high side, how many bytes the answer adds to the next request
// of its turn.
func (a *Answer) size() int {
	size := 0
	for _, b := range a.Blocks {
		size += len(b.Text) + len(b.Signature) + len(b.Redacted) + len(b.Name) + len(b.Input) + entryBytes
	}
	return size
}

// message is the answer as the next request repeats it, reasoning included.
func (a *Answer) message() model.Message {
	m := model.Message{Role: model.Assistant}
	for _, b := range a.Blocks {
		switch b.Type {
		case session.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				m.Content = append(m.Content, model.Text{Text: b.Text})
			}
		case session.BlockThinking:
			m.Content = append(m.Content, model.Thinking{Text: b.Text, Signature: b.Signature, Redacted: b.Redacted})
		case session.BlockToolCall:
			m.Content = append(m.Content, ToolCall(b))
		}
	}
	return m
}
