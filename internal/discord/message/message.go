// Package message holds the messages of Discord as belay sees them: without what
// it does not use, and independent of the client library. The pure packages
// routing, composition and output work on them, and the store keeps them.
package message

import (
	"slices"
	"time"
)

// Kind tells the messages of people from those that belay never answers.
type Kind string

// The kinds. People write messages of the first two.
const (
	Plain  Kind = "plain"
	Reply  Kind = "reply"
	System Kind = "system" // somebody joined, a pin, a thread: nobody wrote it
)

// Author wrote a message. Name is as people see it: chosen by the author, so
// hostile.
type Author struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Bot is true for programs and webhooks.
	Bot bool `json:"bot,omitempty"`
}

// Attachment is a file on a message. It is the metadata kept as
// raw.discord.attachments. URL is signed and expires after about a day.
type Attachment struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	Filename string `json:"filename,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	Size     int64  `json:"size,omitempty"`
}

// Message is one message. Ids are Discord's, decimal digits that grow with time.
type Message struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	// Parent is the channel of a thread, Guild the server; both are empty in a
	// direct message.
	Parent string    `json:"parent,omitempty"`
	Guild  string    `json:"guild,omitempty"`
	Kind   Kind      `json:"kind"`
	Author Author    `json:"author"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time"`
	// ReplyTo is the message that this one answers, in ReplyChannel.
	ReplyTo      string `json:"replyTo,omitempty"`
	ReplyChannel string `json:"replyChannel,omitempty"`
	// ReplyAuthor is the author of that message where Discord sent it along.
	ReplyAuthor string `json:"replyAuthor,omitempty"`
	// Mentions are the people whom Discord found in the text or in the reply.
	Mentions    []Author     `json:"mentions,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Nonce       string       `json:"nonce,omitempty"`
	// Embeds are how many it shows, Buttons the custom ids of its buttons.
	Embeds  int      `json:"-"`
	Buttons []string `json:"-"`
	Edited  bool     `json:"edited,omitempty"`
	Deleted bool     `json:"deleted,omitempty"`
}

// Direct reports whether m is from a direct message channel.
func (m Message) Direct() bool { return m.Guild == "" }

// Names reports whether Discord found a person in the message.
func (m Message) Names(id string) bool {
	return slices.ContainsFunc(m.Mentions, func(a Author) bool { return a.ID == id })
}

// Before reports whether id a is older than id b. Ids are numbers of different length.
func Before(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
