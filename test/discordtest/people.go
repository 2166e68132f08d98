package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Say writes a message as a person.
func (s *Server) Say(channel string, who User, text string, change ...func(*Message)) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	m := s.newMessage(c, who)
	m.Content = text
	if strings.Contains(text, "<@"+s.Bot.ID+">") || strings.Contains(text, "<@!"+s.Bot.ID+">") {
		m.Mentions = append(m.Mentions, s.Bot)
	}
	for _, f := range change {
		f(m)
	}
	c.messages = append(c.messages, m)
	s.Gateway.message("MESSAGE_CREATE", m)
	s.notify()
	return *m
}

// Mention is the text that names the bot.
func (s *Server) Mention() string { return "<@" + s.Bot.ID + ">" }

// ReplyTo makes a message a reply. Discord lists the author who is replied to among
// the mentions.
func (s *Server) ReplyTo(id string) func(*Message) {
	return func(m *Message) {
		c := s.channels[m.ChannelID]
		if s.refer(c, m, &MessageReference{MessageID: id}) == nil && m.Referenced != nil {
			m.Mentions = append(m.Mentions, m.Referenced.Author)
		}
	}
}

// With puts a file on a message.
func (s *Server) With(name, contentType string, data []byte) func(*Message) {
	return func(m *Message) {
		a := s.keep(m.ChannelID, name, data)
		a.ContentType = contentType
		s.files[pathOf(a.URL)].how.ContentType = contentType // as Discord serves it
		m.Attachments = append(m.Attachments, a)
	}
}

// Edit changes a person's message.
func (s *Server) Edit(channel, id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m := s.channels[channel].find(id)
	now := time.Now().UTC()
	m.Content, m.EditedTimestamp = text, &now
	s.Gateway.message("MESSAGE_UPDATE", m)
	s.notify()
}

// Delete removes any message, as a moderator does.
func (s *Server) Delete(channel, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	i, m := c.find(id)
	c.messages = slices.Delete(c.messages, i, i+1)
	s.Gateway.deleted(m)
	s.notify()
}

// DeleteMany removes messages at once, as moderators do.
func (s *Server) DeleteMany(channel string, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	c.messages = slices.DeleteFunc(c.messages, func(m *Message) bool { return slices.Contains(ids, m.ID) })
	s.Gateway.dispatch("MESSAGE_DELETE_BULK", intentMessages, map[string]any{"ids": ids, "channel_id": channel, "guild_id": c.Guild})
	s.notify()
}

// clone copies a message as JSON, for an event.
func clone(m *Message) map[string]any {
	data, _ := json.Marshal(m)
	var o map[string]any
	_ = json.Unmarshal(data, &o)
	return o
}
