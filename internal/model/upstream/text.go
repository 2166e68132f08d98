package upstream

import (
	"strings"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Plain returns the text of a message that is nothing but one text, as most of a
// history is.
func Plain(m *model.Message) (string, bool) {
	if len(m.Content) != 1 {
		return "", false
	}
	text := ""
	switch c := m.Content[0].(type) {
	case model.Text:
		text = c.Text
	case model.Media:
		if p, ok := c.Part.(attachment.TextPart); ok {
			text = p.Text
		}
	}
	return text, strings.TrimSpace(text) != ""
}

// Room is about what the JSON of r takes without its tools and files, in bytes.
func Room(r model.Request) int {
	const frame = 96 // around a text
	n := 4 * frame
	for _, text := range r.System {
		n += len(text) + frame
	}
	talk := r.Conversation()
	for i := range talk.Len() {
		n += frame
		for _, c := range talk.At(i).Content {
			switch c := c.(type) {
			case model.Text:
				n += len(c.Text)
			case model.Media:
				if p, ok := c.Part.(attachment.TextPart); ok {
					n += len(p.Text)
				}
			}
		}
	}
	return n + n/16 // for escapes
}
