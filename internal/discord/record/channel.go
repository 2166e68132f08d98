package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"belay/internal/discord/message"
	"belay/internal/discord/output"
	"belay/internal/discord/routing"
	"belay/internal/durable"
)

const (
	// maxLine is the longest line: a request of 256 KiB, escaped.
	maxLine = 4 << 20
	// rewriteAt is the size at which a file is written again when it is opened.
	rewriteAt = 4 << 20
	// keptMessages are how many messages a channel remembers.
	keptMessages = 300
)

// Request is a request to an agent. It is open until [Channel.Finish].
type Request struct {
	// ID is the request's id on the bus, and Session the one it went to.
	ID      string        `json:"id"`
	Session string        `json:"session"`
	Queue   routing.Queue `json:"queue"`
	Text    string        `json:"text"`
	Persona string        `json:"persona,omitempty"`
	// Messages are the ids that it was composed of; the answer replies to the last.
	Messages []string       `json:"messages"`
	Asker    message.Author `json:"asker"`
	Time     time.Time      `json:"time"`
	// Refusal is what people get instead of an answer; such a request is not published.
	Refusal string `json:"refusal,omitempty"`
	// Sent are the messages of the answer so far.
	Sent []output.Message `json:"-"`
	// Anchors are where the answer goes on in a new message.
	Anchors []Anchor `json:"-"`
}

// Anchor asks for the text that follows a position of a request's output to go on in a new
// message.
type Anchor struct {
	// ID is that of the bus message which asks for it.
	ID string `json:"id"`
	// After is the position. At once says not to wait for the next paragraph.
	After  int64 `json:"after"`
	AtOnce bool  `json:"atOnce,omitempty"`
	// ReplyTo is the message that the new one answers; "" is the person's.
	ReplyTo string `json:"replyTo,omitempty"`
}

// line is one line of the file. Exactly one of the members is set, beside V.
type line struct {
	V       int              `json:"v"`
	Message *message.Message `json:"message,omitempty"`
	// Wants says that the message is to be answered.
	Wants bool `json:"wants,omitempty"`
	// Meant says that it is for the bot itself, and not only as a part of such a message.
	Meant    bool      `json:"meant,omitempty"`
	Accepted *Request  `json:"accepted,omitempty"`
	Sent     *sent     `json:"sent,omitempty"`
	Anchored *anchored `json:"anchored,omitempty"`
	Finished string    `json:"finished,omitempty"`
	Question *Question `json:"question,omitempty"`
	Session  string    `json:"session,omitempty"`
	// Project is that of the session.
	Project string  `json:"project,omitempty"`
	Persona *string `json:"persona,omitempty"`
	Missing *string `json:"missing,omitempty"`
	Since   string  `json:"since,omitempty"`
}

type sent struct {
	Request string `json:"request"`
	output.Message
}

type anchored struct {
	Request string `json:"request"`
	Anchor
}

// Channel is the file of one channel. It is safe for concurrent use. The file is open only
// while something is added: there may be one for each of thousands of threads.
type Channel struct {
	id   string
	root *os.Root

	asking sync.Mutex // one change of a question at a time

	mu    sync.Mutex
	state *state
	// fresh says that there is no file yet, removed that there is to be none any more.
	fresh, removed bool
}

// open reads the file, and writes it again where it is long.
func (c *Channel) open() error {
	size, err := read(c.root, c.id, c.state.apply)
	if c.fresh = size == 0; err != nil || size <= rewriteAt {
		return err
	}
	data, err := c.state.lines()
	if err != nil {
		return err
	}
	return durable.WriteFile(c.root, channelFile(c.id), data, 0o600, durable.DiscordChannel)
}

// add appends lines, and flushes them where they must not be lost. Of a channel that was removed
// nothing is recorded.
func (c *Channel) add(flush bool, lines ...line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removed {
		return nil
	}
	var data []byte
	for _, l := range lines {
		l.V = version
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		data = append(append(data, b...), '\n')
	}
	file, err := durable.OpenLines(c.root, channelFile(c.id), 0o600, durable.DiscordChannel)
	if err != nil {
		return fmt.Errorf("discord: record: %w", err)
	}
	if err = file.Append(data); err == nil {
		for _, l := range lines {
			c.state.apply(l)
		}
		if flush {
			err = file.Sync()
		}
	}
	if c.fresh && err == nil {
		// A power cut must not take the name of a new file, whose lines are flushed.
		err = durable.FlushDir(c.root, dirChannels, durable.DiscordChannel)
		c.fresh = err != nil
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("discord: record: %w", err)
	}
	return nil
}

// See records a message, or its change. One that is to be answered is flushed; all
// others are only context, and may be lost in a power cut. What Discord leaves out of
// a change stays as it was. Meant says of one that is to be answered that it is for the bot
// itself, and not only as a part of a message that is.
func (c *Channel) See(m message.Message, wants, meant bool) error {
	if old, ok := c.Message(m.ID); ok {
		m = merge(old, m)
	}
	return c.add(wants, line{Message: &m, Wants: wants, Meant: meant})
}

// merge keeps what a change of a message does not say.
func merge(old, m message.Message) message.Message {
	if m.Deleted {
		old.Deleted = true
		return old
	}
	if m.ReplyTo == "" {
		m.ReplyTo, m.ReplyChannel, m.ReplyAuthor = old.ReplyTo, old.ReplyChannel, old.ReplyAuthor
	}
	m.Parent = cmp.Or(m.Parent, old.Parent)
	m.Edited = m.Edited || old.Edited
	return m
}

// Accept records a request, before it is published. Its messages are dealt with.
func (c *Channel) Accept(r Request) error { return c.add(true, line{Accepted: &r}) }

// Sent records a message of the answer to a request.
func (c *Channel) Sent(request string, m output.Message) error {
	return c.add(true, line{Sent: &sent{request, m}})
}

// Anchored records where an answer goes on in a new message.
func (c *Channel) Anchored(request string, a Anchor) error {
	return c.add(true, line{Anchored: &anchored{request, a}})
}

// Finish records that a request's answer is in Discord, or that there will be none.
func (c *Channel) Finish(request string) error { return c.add(true, line{Finished: request}) }

// Dismiss records that there will be no answer to the messages of a request, which is at no
// time an open one.
func (c *Channel) Dismiss(r Request) error {
	return c.add(true, line{Accepted: &r}, line{Finished: r.ID})
}

// SetSession makes a session of a project the channel's.
func (c *Channel) SetSession(id, project string) error {
	return c.add(true, line{Session: id, Project: project})
}

// SetPersona makes a persona the channel's, "" the binding's again.
func (c *Channel) SetPersona(id string) error { return c.add(true, line{Persona: &id}) }
