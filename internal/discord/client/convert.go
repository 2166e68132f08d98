package client

import (
	"strings"
	"time"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/snowflake/v2"

	"belay/internal/discord/message"
)

// convert takes what belay uses of a message.
func convert(m discord.Message) message.Message {
	if m.ID == 0 {
		return message.Message{}
	}
	out := message.Message{
		ID: m.ID.String(), Channel: m.ChannelID.String(), Kind: message.System, Author: author(m.Author), Text: m.Content,
		Time: m.CreatedAt, Nonce: string(m.Nonce), Edited: m.EditedTimestamp != nil, Embeds: len(m.Embeds),
	}
	switch m.Type {
	case discord.MessageTypeDefault:
		out.Kind = message.Plain
	case discord.MessageTypeReply:
		out.Kind = message.Reply
	}
	if m.GuildID != nil {
		out.Guild = m.GuildID.String()
	}
	if m.WebhookID != nil {
		out.Author.Bot = true
	}
	if m.Member != nil && m.Member.Nick != nil && *m.Member.Nick != "" {
		out.Author.Name = *m.Member.Nick
	}
	files := m.Attachments
	if ref := m.MessageReference; ref != nil && ref.MessageID != nil {
		switch ref.Type {
		case discord.MessageReferenceTypeForward:
			out.Text, files = forwarded(m)
		default:
			out.ReplyTo = ref.MessageID.String()
			if ref.ChannelID != nil {
				out.ReplyChannel = ref.ChannelID.String()
			}
		}
	}
	if m.ReferencedMessage != nil {
		out.ReplyAuthor = m.ReferencedMessage.Author.ID.String()
	}
	for _, row := range m.Components {
		out.Buttons = append(out.Buttons, buttonsOf(row)...)
	}
	for _, u := range m.Mentions {
		out.Mentions = append(out.Mentions, author(u))
	}
	for _, a := range files {
		kept := message.Attachment{ID: a.ID.String(), URL: a.URL, Filename: strings.ToValidUTF8(a.Filename, "_"), Size: int64(a.Size)}
		if a.ContentType != nil {
			kept.MimeType = *a.ContentType
		}
		out.Attachments = append(out.Attachments, kept)
	}
	return out
}

// buttonsOf are the custom ids of the buttons in a row.
func buttonsOf(c discord.LayoutComponent) (ids []string) {
	row, ok := c.(discord.ActionRowComponent)
	if !ok {
		return nil
	}
	for _, b := range row.Components {
		if b, ok := b.(discord.ButtonComponent); ok {
			ids = append(ids, b.CustomID)
		}
	}
	return ids
}

// forwarded is what a forwarded message says: its own text is empty.
func forwarded(m discord.Message) (string, []discord.Attachment) {
	text, files := m.Content, m.Attachments
	for _, s := range m.MessageSnapshots {
		text = strings.TrimSpace(text + "\n" + s.Message.Content)
		files = append(files, s.Message.Attachments...)
	}
	return text, files
}

func author(u discord.User) message.Author {
	name := u.Username
	if u.GlobalName != nil && *u.GlobalName != "" {
		name = *u.GlobalName
	}
	return message.Author{ID: u.ID.String(), Name: name, Bot: u.Bot || u.System}
}

func threadOf(t discord.GuildThread) Thread {
	thread := Thread{ID: t.ID().String(), Parent: t.ParentID().String(), Before: (t.ID() - 1).String()}
	if last := t.LastMessageID(); last != nil {
		thread.Last = last.String()
	}
	return thread
}

// IDAt returns the smallest id that Discord gives out at a time. Ids begin in 2015.
func IDAt(t time.Time) string {
	if t.UnixMilli() < snowflake.Epoch {
		return "0"
	}
	return snowflake.New(t).String()
}
