package client

// Embed is a box below the text of a message. Discord leaves it out where the bot may not
// embed links, and does not show it to people who have turned previews off: what they must
// know belongs into the text.
//
// Its limits: https://discord.com/developers/docs/resources/message#embed-object-embed-limits.
type Embed struct {
	Description string       `json:"description,omitempty"`
	Colour      int          `json:"color,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// EmbedField is a part of an embed with a heading.
type EmbedField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// embeds is a list of one, or nothing.
func embeds(e *Embed) []Embed {
	if e == nil {
		return nil
	}
	return []Embed{*e}
}
