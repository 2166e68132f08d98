package discordtest

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"
)

// EmbedRule is what becomes of embeds in a channel where the bot may not send any: the
// permission EMBED_LINKS of topics/permissions.
type EmbedRule int

// The rules. Discord leaves embeds out of a message that has a text; other servers refuse
// the message.
const (
	EmbedsShown EmbedRule = iota
	EmbedsLeftOut
	EmbedsRefused
)

// Embeds sets what becomes of embeds in a channel.
func (s *Server) Embeds(channel string, rule EmbedRule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels[channel].embeds = rule
}

// embedFields are what a bot may set: resources/message#embed-object.
const embedFields = " title description url timestamp color footer image thumbnail author fields "

// checkEmbeds holds embeds to their limits. Lengths are counted in UTF-16 units, which are
// never fewer than what Discord counts.
func checkEmbeds(embeds []any) error {
	if len(embeds) > maxEmbeds {
		return invalid("embeds", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbeds)
	}
	total := 0
	for _, e := range embeds {
		o, ok := e.(map[string]any)
		for name := range o {
			ok = ok && strings.Contains(embedFields, " "+name+" ")
		}
		fields, _ := o["fields"].([]any)
		if !ok || len(o) == 0 || len(fields) > maxEmbedFields {
			return invalid("embeds", "BASE_TYPE_BAD_LENGTH", "an embed has known members and %d fields or fewer", maxEmbedFields)
		}
		parts := []part{{o["title"], 0, maxEmbedTitle}, {o["description"], 0, maxEmbedText}}
		if footer, ok := o["footer"].(map[string]any); ok {
			parts = append(parts, part{footer["text"], 1, maxEmbedFooter})
		}
		for _, f := range fields {
			f, _ := f.(map[string]any)
			parts = append(parts, part{f["name"], 1, maxEmbedName}, part{f["value"], 1, maxEmbedValue})
		}
		for _, p := range parts {
			n := p.length()
			if n < p.least || n > p.most {
				return invalid("embeds", "BASE_TYPE_BAD_LENGTH", "%d characters where %d to %d are allowed", n, p.least, p.most)
			}
			total += n
		}
	}
	if total > maxEmbedsLength {
		return invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedsLength)
	}
	return nil
}

// part is a text of an embed, and how long it may be.
type part struct {
	text        any
	least, most int
}

func (p part) length() int {
	text, _ := p.text.(string)
	return len(utf16.Encode([]rune(strings.TrimSpace(text))))
}

// embedsOf are the embeds that a message in the channel shows.
func (c *Channel) embedsOf(b messageBody) ([]any, error) {
	if len(b.Embeds) == 0 || c.embeds == EmbedsShown {
		return append([]any{}, b.Embeds...), nil
	}
	if c.embeds == EmbedsRefused || b.Content == nil || *b.Content == "" {
		return nil, refuse(http.StatusForbidden, codePermission, "Missing Permissions")
	}
	return []any{}, nil
}

// Shown is all that people read of a message: its text, and the texts of its embeds.
func (m Message) Shown() string {
	text := m.Content
	for _, e := range m.Embeds {
		o, _ := e.(map[string]any)
		if said, _ := o["description"].(string); said != "" {
			text += "\n" + said
		}
		fields, _ := o["fields"].([]any)
		for _, f := range fields {
			f, _ := f.(map[string]any)
			text += fmt.Sprintf("\n%v: %v", f["name"], f["value"])
		}
	}
	return text
}
