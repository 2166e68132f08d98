package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
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
	// Sent are the messages of the answer so far.
	Sent []output.Message `json:"-"`
}

// Question is a question that was asked in the channel.
type Question struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Message string `json:"message"`
	// Text is what the message says, for the edit that closes it.
	Text string `json:"text"`
	// Direct are the same question in direct messages. Message is a note then.
	Direct []DirectQuestion `json:"direct,omitempty"`
	Closed bool             `json:"closed,omitempty"`
}

// DirectQuestion is a question in the direct messages of a decider.
type DirectQuestion struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Message string `json:"message"`
	Text    string `json:"text"`
}

// line is one line of the file. Exactly one of the members is set, beside V.
type line struct {
	V       int              `json:"v"`
	Message *message.Message `json:"message,omitempty"`
	// Wants says that the message is to be answered.
	Wants    bool      `json:"wants,omitempty"`
	Accepted *Request  `json:"accepted,omitempty"`
	Sent     *sent     `json:"sent,omitempty"`
	Finished string    `json:"finished,omitempty"`
	Question *Question `json:"question,omitempty"`
	Session  string    `json:"session,omitempty"`
	Persona  *string   `json:"persona,omitempty"`
	Missing  *string   `json:"missing,omitempty"`
}

type sent struct {
	Request string `json:"request"`
	output.Message
}

// Channel is the file of one channel. It is safe for concurrent use.
type Channel struct {
	id string

	mu    sync.Mutex
	lines *durable.Lines
	state *state
}

// open reads the file, writes it again where it is long, and opens it for appending.
func (c *Channel) open(root *os.Root) error {
	size, err := read(root, c.id, c.state.apply)
	if err != nil {
		return err
	}
	if size > rewriteAt {
		data, err := c.state.lines()
		if err != nil {
			return err
		}
		if err := durable.WriteFile(root, channelFile(c.id), data, 0o600, durable.DiscordChannel); err != nil {
			return err
		}
	}
	if c.lines, err = durable.OpenLines(root, channelFile(c.id), 0o600, durable.DiscordChannel); err != nil {
		return err
	}
	if size > 0 {
		return nil
	}
	// A power cut must not take the name of a new file, whose lines are flushed.
	if err := durable.FlushDir(root, dirChannels, durable.DiscordChannel); err != nil {
		return errors.Join(err, c.lines.Close())
	}
	return nil
}

func (c *Channel) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines.Close()
}

// add appends lines, and flushes them where they must not be lost.
func (c *Channel) add(flush bool, lines ...line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var data []byte
	for _, l := range lines {
		l.V = version
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		data = append(append(data, b...), '\n')
	}
	if err := c.lines.Append(data); err != nil {
		return fmt.Errorf("discord: record: %w", err)
	}
	for _, l := range lines {
		c.state.apply(l)
	}
	if !flush {
		return nil
	}
	if err := c.lines.Sync(); err != nil {
		return fmt.Errorf("discord: record: %w", err)
	}
	return nil
}

// See records a message, or its change. One that is to be answered is flushed; all
// others are only context, and may be lost in a power cut. What Discord leaves out of
// a change stays as it was.
func (c *Channel) See(m message.Message, wants bool) error {
	if old, ok := c.Message(m.ID); ok {
		m = merge(old, m)
	}
	return c.add(wants, line{Message: &m, Wants: wants})
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
	if m.Parent == "" {
		m.Parent = old.Parent
	}
	m.Edited = m.Edited || old.Edited
	return m
}

// Accept records a request, before it is published. Its messages are dealt with.
func (c *Channel) Accept(r Request) error { return c.add(true, line{Accepted: &r}) }

// Sent records a message of the answer to a request.
func (c *Channel) Sent(request string, m output.Message) error {
	return c.add(true, line{Sent: &sent{request, m}})
}

// Finish records that a request's answer is in Discord, or that there will be none.
func (c *Channel) Finish(request string) error { return c.add(true, line{Finished: request}) }

// Ask records a question that was sent, or its end.
func (c *Channel) Ask(q Question) error { return c.add(true, line{Question: &q}) }

// SetSession makes a session the channel's.
func (c *Channel) SetSession(id string) error { return c.add(true, line{Session: id}) }

// SetPersona makes a persona the channel's, "" the binding's again.
func (c *Channel) SetPersona(id string) error { return c.add(true, line{Persona: &id}) }

// Message returns a message that was seen lately.
func (c *Channel) Message(id string) (message.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.state.messages[id]
	return m, ok
}

// Last is the newest message that was seen, "" where none was.
func (c *Channel) Last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.last
}

// Missing says after which message others may have been missed: after the newest one that was
// seen or, while an earlier absence is not read up to its end, after the last one before
// that. It stays so, also for the next process, until [Channel.Complete]. It is "" where none
// was seen.
func (c *Channel) Missing() (after string, _ error) {
	c.mu.Lock()
	after, known := c.state.missing, c.state.missing != ""
	if !known {
		after = c.state.last
	}
	c.mu.Unlock()
	if known || after == "" {
		return after, nil
	}
	// Later lines about newer messages are behind this one, so no flush is needed.
	return after, c.add(false, line{Missing: &after})
}

// Forgotten reports whether a message is older than all that are remembered: whether it was
// seen is not known any more.
func (c *Channel) Forgotten(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.state.order) >= keptMessages && message.Before(id, c.state.order[0])
}

// Complete says that nothing is missing any more.
func (c *Channel) Complete() error {
	none := ""
	return c.add(false, line{Missing: &none})
}

// Wanting are the messages that are to be answered and that no request has, the
// oldest first.
func (c *Channel) Wanting() []message.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []message.Message
	for _, id := range c.state.wanting {
		if m := c.state.messages[id]; !m.Deleted {
			all = append(all, m)
		}
	}
	return all
}

// Handled reports whether a message was seen before and is, or was, being answered.
func (c *Channel) Handled(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.handled[id]
}

// Open are the open requests, in the order of their acceptance.
func (c *Channel) Open() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Request
	for _, r := range c.state.requests {
		copied := *r
		copied.Sent = slices.Clone(r.Sent)
		all = append(all, copied)
	}
	return all
}

// Question returns a question that was asked in the channel.
func (c *Channel) Question(id string) (Question, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok := c.state.questions[id]
	return q, ok
}

// Session is the channel's session, "" where none was made yet.
func (c *Channel) Session() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.session
}

// Had reports whether a session is, or lately was, the channel's.
func (c *Channel) Had(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.state.sessions, session)
}

// Persona is the persona that somebody chose with /persona, "" for none.
func (c *Channel) Persona() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.persona
}
