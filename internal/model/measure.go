package model

import (
	"belay/internal/attachment"
)

// Measure is what a request counts against a model's limits.
type Measure struct {
	// Tokens estimates the input tokens: a quarter of the text's bytes, the
	// published formula for images, a flat rate for PDF pages. Real counts of
	// dense text are higher; a planner should leave a margin.
	Tokens int64
	// Bytes is the size of the encoded request without its JSON framing:
	// text as it is, files in base64.
	Bytes int64
	// Images and Pages count what the request-wide limits count.
	Images, Pages int
}

// The rates of the estimate.
const (
	bytesPerToken = 4
	// An image costs a token per 750 pixels or part of it, and never more than
	// this many because the service scales larger ones down. One of unknown size
	// counts as the largest.
	pixelsPerToken = 750
	imageTokens    = 1600
	// A PDF page is sent as its text and its picture.
	pageTokens = 2000
)

// Messages returns the whole conversation: the history, and the prompt as its
// last message. A nil prompt (a tool loop's next call) adds none.
func (r Request) Messages() []Message {
	c := r.Conversation()
	if !c.prompted {
		return c.history
	}
	return append(c.history[:len(c.history):len(c.history)], c.prompt)
}

// Conversation is what [Request.Messages] returns, without a copy of the history.
// The zero value has no message.
type Conversation struct {
	history  []Message
	prompt   Message
	prompted bool
}

// Conversation returns the history and the prompt behind it.
func (r Request) Conversation() Conversation {
	if r.Prompt == nil {
		return Conversation{history: r.History}
	}
	parts := r.Prompt.Parts()
	content := make([]Content, len(parts))
	for i, p := range parts {
		content[i] = Media{Part: p}
	}
	return Conversation{history: r.History, prompt: Message{Role: User, Content: content}, prompted: true}
}

// Len is how many messages there are.
func (c *Conversation) Len() int {
	if c.prompted {
		return len(c.history) + 1
	}
	return len(c.history)
}

// At is the i-th message, from 0, not to be changed.
func (c *Conversation) At(i int) *Message {
	if c.prompted && i == len(c.history) {
		return &c.prompt
	}
	return &c.history[i]
}

// Measure estimates what r counts.
func (r Request) Measure() Measure {
	var m Measure
	for _, s := range r.System {
		m.text(len(s))
	}
	for _, t := range r.Tools {
		m.text(len(t.Name) + len(t.Description) + len(t.Schema))
	}
	uncounted := r.History
	if r.Counted.Messages <= len(r.History) {
		m.add(r.Counted.Measure)
		uncounted = r.History[r.Counted.Messages:]
	}
	for _, msg := range uncounted {
		m.Message(msg)
	}
	if r.Prompt != nil {
		for _, p := range r.Prompt.Parts() {
			m.Part(p)
		}
	}
	return m
}

// Counted is what the first messages of a history count, for a caller that keeps it:
// a long conversation is then not walked again for each call.
type Counted struct {
	Messages int
	Measure  Measure
}

// Message adds one message to m.
func (m *Measure) Message(msg Message) {
	for _, c := range msg.Content {
		m.content(c)
	}
}

func (m *Measure) add(n Measure) {
	m.Tokens += n.Tokens
	m.Bytes += n.Bytes
	m.Images += n.Images
	m.Pages += n.Pages
}

func (m *Measure) content(c Content) {
	switch c := c.(type) {
	case Media:
		m.Part(c.Part)
	case Text:
		m.text(len(c.Text))
	case Thinking:
		m.text(len(c.Text) + len(c.Redacted))
		m.Bytes += int64(len(c.Signature))
	case ToolCall:
		m.text(len(c.ID) + len(c.Name) + len(c.Input))
		m.Bytes += int64(len(c.Signature))
	case ToolOutput:
		m.text(len(c.CallID))
		for _, p := range c.Parts {
			m.Part(p)
		}
	}
}

// Part adds one block to m.
func (m *Measure) Part(p attachment.Part) {
	switch p := p.(type) {
	case attachment.TextPart:
		m.text(len(p.Text))
	case attachment.TextDocumentPart:
		m.text(len(p.Name))
		m.Tokens += tokensOf(p.Content.Size())
		m.Bytes += p.Content.Size()
	case attachment.ImagePart:
		m.Images++
		m.Bytes += base64Size(p.Content.Size())
		cost := int64(imageTokens)
		if p.Width > 0 && p.Height > 0 {
			cost = min(cost, (int64(p.Width)*int64(p.Height)+pixelsPerToken-1)/pixelsPerToken)
		}
		m.Tokens += cost
	case attachment.ImageURLPart:
		m.Images++
		m.text(len(p.URL))
		m.Tokens += imageTokens
	case attachment.MediaPart:
		m.Bytes += base64Size(p.Content.Size())
		m.Tokens += attachment.MediaTokens(p.MIMEType, p.Content.Size())
	case attachment.DocumentPart:
		pages := max(p.Pages, 1)
		m.Pages += pages
		m.Bytes += base64Size(p.Content.Size())
		m.Tokens += int64(pages) * pageTokens
	}
}

func (m *Measure) text(n int) {
	m.Tokens += tokensOf(int64(n))
	m.Bytes += int64(n)
}

func tokensOf(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }
func base64Size(raw int64) int64 { return (raw + 2) / 3 * 4 }

// TextTokens estimates the tokens of a text.
func TextTokens(s string) int64 { return tokensOf(int64(len(s))) }
