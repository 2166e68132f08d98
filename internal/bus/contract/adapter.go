package contract

import (
	"net/url"
	"time"
)

// AdapterMessage is what a surface saw in a channel. It is the content of
// [AdapterMessageCreated] and [AdapterMessageUpdated].
type AdapterMessage struct {
	Platform    string `json:"platform"`
	ChannelID   string `json:"channelId"`
	ChannelName string `json:"channelName,omitempty"`
	MessageID   string `json:"messageId"`
	UserID      string `json:"userId"`
	UserName    string `json:"userName,omitempty"`
	// Text is what the person wrote, with mentions as names.
	Text string    `json:"text"`
	Time time.Time `json:"time"`
	Raw  *Raw      `json:"raw,omitempty"`
}

// Raw is what only one platform has.
type Raw struct {
	Discord *RawDiscord `json:"discord,omitempty"`
}

// RawDiscord is what Discord says about a message.
type RawDiscord struct {
	GuildID          string              `json:"guildId,omitempty"`
	ParentChannelID  string              `json:"parentChannelId,omitempty"`
	ReplyToMessageID string              `json:"replyToMessageId,omitempty"`
	Direct           bool                `json:"direct,omitempty"`
	MentionsBot      bool                `json:"mentionsBot,omitempty"`
	ReplyToBot       bool                `json:"replyToBot,omitempty"`
	Attachments      []DiscordAttachment `json:"attachments,omitempty"`
}

// DiscordAttachment is a file of a message. Its identity is channel, message and
// ID: the link expires, and its query, which is a signature, does not travel.
type DiscordAttachment struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	Filename string `json:"filename,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
}

// AdapterMessageCreated says that somebody wrote a message.
type AdapterMessageCreated struct{ AdapterMessage }

// AdapterMessageUpdated says that somebody changed a message; it holds all of it.
type AdapterMessageUpdated struct{ AdapterMessage }

// AdapterMessageDeleted says that a message is gone.
type AdapterMessageDeleted struct {
	Platform  string    `json:"platform"`
	ChannelID string    `json:"channelId"`
	MessageID string    `json:"messageId"`
	Time      time.Time `json:"time"`
}

func (m *AdapterMessage) check(c *checker) {
	c.matches("platform", m.Platform, clientPattern)
	c.filled("channelId", m.ChannelID, maxLabel)
	c.text("channelName", m.ChannelName, maxLabel)
	c.filled("messageId", m.MessageID, maxLabel)
	c.filled("userId", m.UserID, maxLabel)
	c.text("userName", m.UserName, maxLabel)
	c.text("text", m.Text, MaxText)
	c.moment("time", m.Time)
	if m.Raw != nil && m.Raw.Discord != nil {
		m.Raw.Discord.check(c)
	}
}

func (r *RawDiscord) check(c *checker) {
	c.text("raw.discord.guildId", r.GuildID, maxLabel)
	c.text("raw.discord.parentChannelId", r.ParentChannelID, maxLabel)
	c.text("raw.discord.replyToMessageId", r.ReplyToMessageID, maxLabel)
	const field = "raw.discord.attachments"
	c.list(field, len(r.Attachments))
	for _, a := range r.Attachments {
		c.filled(field+".id", a.ID, maxLabel)
		c.text(field+".filename", a.Filename, maxLabel*4)
		c.text(field+".mimeType", a.MIMEType, maxLabel)
		c.that(a.Bytes >= 0, field+".bytes", "must not be negative")
		c.text(field+".url", a.URL, maxPath)
		u, err := url.Parse(a.URL)
		c.that(err == nil && u.Host != "" && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.User == nil,
			field+".url", "must be an absolute URL without query, fragment and user")
	}
}

func (m *AdapterMessageDeleted) check(c *checker) {
	c.matches("platform", m.Platform, clientPattern)
	c.filled("channelId", m.ChannelID, maxLabel)
	c.filled("messageId", m.MessageID, maxLabel)
	c.moment("time", m.Time)
}
