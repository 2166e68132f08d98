package discord

import (
	"context"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
)

const platform = "discord"

// adapter is a message as the bus has it: links without their signatures.
func (s *Surface) adapter(m message.Message) contract.AdapterMessage {
	raw := &contract.RawDiscord{
		GuildID: m.Guild, ParentChannelID: m.Parent, ReplyToMessageID: m.ReplyTo, Direct: m.Direct(),
		MentionsBot: m.Names(s.bot.ID), ReplyToBot: m.ReplyAuthor != "" && m.ReplyAuthor == s.bot.ID,
	}
	for _, a := range m.Attachments {
		raw.Attachments = append(raw.Attachments, contract.DiscordAttachment{
			ID: a.ID, URL: block.Item{URL: a.URL}.Public().URL, Filename: a.Filename, MIMEType: a.MimeType, Bytes: a.Size})
	}
	return contract.AdapterMessage{
		Platform: platform, ChannelID: m.Channel, MessageID: m.ID, UserID: m.Author.ID, UserName: m.Author.Name,
		Text: m.Text, Time: m.Time, Raw: &contract.Raw{Discord: raw},
	}
}

// announceTimeout bounds a message that only other readers of the bus miss.
const announceTimeout = 5 * time.Second

// announce publishes what the surface saw. The caller holds the lock.
func (s *Surface) announce(c *channel, id string, p contract.Payload) {
	s.do(&c.requests, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, announceTimeout)
		defer cancel()
		if err := s.o.Bus.Announce(ctx, c.id+":"+id, "", "", p); err != nil && ctx.Err() == nil {
			s.log.Debug("the bus did not take an event of Discord", "error", err)
		}
	})
}

// react adds an emoji. The caller holds the lock.
func (s *Surface) react(c *channel, id, emoji string) {
	s.work.Go(func() {
		if err := s.client.React(s.life, c.id, id, emoji); err != nil && s.life.Err() == nil {
			s.log.Debug("Discord: react", "reason", client.ReasonOf(err))
		}
	})
}

// say replies to a message with a note, as well as it goes. The same note is sent once, and
// different ones to one message are each sent. The caller holds the lock.
func (s *Surface) say(c *channel, to, text string) {
	s.work.Go(func() {
		_, err := s.client.Send(s.life, c.id, client.NewMessage{Text: text, ReplyTo: to, Nonce: nonce(to, "note", text)})
		if err != nil && s.life.Err() == nil {
			s.log.Warn("Discord: a note could not be sent", "reason", client.ReasonOf(err))
		}
	})
}
