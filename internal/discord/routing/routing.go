// Package routing decides who is answered in Discord, and how.
//
// [Settings.Route] is a pure function from a message and the state of its channel
// to a [Decision]. The order of its rules is the table in its documentation.
// Specification: the bus and Discord, "Discord surface".
package routing

import (
	"slices"
	"strings"

	"belay/internal/discord/message"
)

// Mode says which messages of a channel are for belay.
type Mode string

// The modes. Direct messages are always active.
const (
	// Mention answers messages that name the bot or reply to it.
	Mention Mode = "mention"
	// Active answers every message.
	Active Mode = "active"
)

// Settings are who may talk to belay. The zero value lets nobody.
type Settings struct {
	// Bot is the bot's own user id.
	Bot string
	// Guilds are the servers whose bound channels are read, Users the people who
	// are answered. An empty list means all servers, and everybody who can write in
	// a bound channel.
	Guilds, Users []string
	// Channels are the bound channels; a thread has the settings of its parent.
	Channels map[string]Channel
}

// Channel is how one channel is treated.
type Channel struct {
	Mode Mode
	// Users narrows Settings.Users further where it is not empty.
	Users []string
}

// State is what happens in a message's channel at the moment.
type State struct {
	// Running reports whether a request of the channel's conversation is being answered,
	// and Asker who wrote it.
	Running bool
	Asker   string
	// Answer are the messages of all answers that are being written, also those of an
	// earlier conversation.
	Answer []string
}

// Queue is the way a message reaches the agent.
type Queue string

// The queues, as in the bus command cmd.request.message.
const (
	Prompt   Queue = "prompt"
	Steer    Queue = "steer"
	FollowUp Queue = "followUp"
)

// Reason says why a message is answered or not. Tests and debug logs show it.
type Reason string

// Reasons for not answering.
const (
	FromBot        Reason = "from a bot"
	FromSystem     Reason = "a system message"
	Empty          Reason = "nothing in it"
	UnknownChannel Reason = "the channel is not bound"
	UnknownGuild   Reason = "the server is not allowed"
	UnknownUser    Reason = "the person is not allowed"
	NotMeant       Reason = "not for the bot"
)

// Reasons for answering.
const (
	Mentioned Reason = "names the bot"
	Replied   Reason = "replies to the bot"
	Direct    Reason = "a direct message"
	InActive  Reason = "an active channel"
)

// Decision is what to do with a message.
type Decision struct {
	Answer bool
	Reason Reason
	// Queue is set where Answer is.
	Queue Queue
}

// Bound returns the settings of a message's channel: its own, else its parent's.
func (s Settings) Bound(m message.Message) (Channel, bool) {
	if c, ok := s.Channels[m.Channel]; ok {
		return c, true
	}
	c, ok := s.Channels[m.Parent]
	return c, ok && m.Parent != ""
}

// Route decides about m. The first rule that fits counts:
//
//	bots, webhooks and the bot itself     ignored
//	system messages                       ignored
//	a channel that is not bound           ignored
//	a server that Guilds does not allow   ignored
//	a person whom Users does not allow    ignored
//	neither text nor a file               ignored
//	a direct message                      answered
//	a mention written in the text         answered
//	a reply to the bot                    answered
//	an active channel                     answered
//	anything else                         ignored
//
// While an answer is being written, the person who asked for it steers it by a
// mention or a reply; so does everybody who replies to one of its messages. All
// others wait for their turn.
func (s Settings) Route(m message.Message, now State) Decision {
	reason, answer := s.reason(m)
	if !answer {
		return Decision{Reason: reason}
	}
	return Decision{Answer: true, Reason: reason, Queue: queue(m, reason, now)}
}

func (s Settings) reason(m message.Message) (reason Reason, answer bool) {
	channel, bound := s.Bound(m)
	switch {
	case m.Author.Bot || m.Author.ID == s.Bot:
		return FromBot, false
	case m.Kind == message.System:
		return FromSystem, false
	case !bound:
		return UnknownChannel, false
	case !m.Direct() && !allowed(s.Guilds, m.Guild):
		return UnknownGuild, false
	case !allowed(s.Users, m.Author.ID) || !allowed(channel.Users, m.Author.ID):
		return UnknownUser, false
	case strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0:
		return Empty, false
	case m.Direct():
		return Direct, true
	case s.mentioned(m):
		return Mentioned, true
	case m.ReplyTo != "" && m.ReplyAuthor == s.Bot:
		return Replied, true
	case channel.Mode == Active:
		return InActive, true
	}
	return NotMeant, false
}

// allowed reports whether id is in a list; an empty list allows everybody.
func allowed(list []string, id string) bool {
	return len(list) == 0 || slices.Contains(list, id)
}

// mentioned reports whether the bot's name is written in the text. A reply alone
// also makes Discord list its author as mentioned.
func (s Settings) mentioned(m message.Message) bool {
	return m.Names(s.Bot) && (strings.Contains(m.Text, "<@"+s.Bot+">") || strings.Contains(m.Text, "<@!"+s.Bot+">"))
}

func queue(m message.Message, why Reason, now State) Queue {
	switch {
	case m.ReplyTo != "" && slices.Contains(now.Answer, m.ReplyTo):
		return Steer
	case !now.Running:
		return Prompt
	case m.Author.ID == now.Asker && (why == Mentioned || why == Replied):
		return Steer
	}
	return FollowUp
}
