package record

import (
	"cmp"
	"slices"

	"belay/internal/discord/message"
)

// Message returns a message that was seen lately.
func (c *Channel) Message(id string) (message.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.state.messages[id]
	return m, ok
}

// Begin says that no message after an id may be lost from now on. Only the first call counts:
// a process that dies before it has recorded a first message leaves this to the next one.
func (c *Channel) Begin(id string) error {
	if c.Since() != "" {
		return nil
	}
	return c.add(true, line{Since: id})
}

// Since is the id that [Channel.Begin] recorded, "" for none.
func (c *Channel) Since() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.since
}

// Last is the newest message that was seen, "" for none.
func (c *Channel) Last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.last
}

// Missing says after which message others may have been missed: after the newest one that was
// seen, or after [Channel.Since] where none was. While an earlier absence is not read up to
// its end, it is the last message before that. It stays so, also for the next process, until
// [Channel.Complete]. It is "" where none of these is known.
func (c *Channel) Missing() (after string, _ error) {
	c.mu.Lock()
	after, known := c.state.missing, c.state.missing != ""
	if !known {
		after = cmp.Or(c.state.last, c.state.since)
	}
	c.mu.Unlock()
	if known || after == "" {
		return after, nil
	}
	// Later lines about newer messages are behind this one, so no flush is needed.
	return after, c.add(false, line{Missing: &after})
}

// Behind reports whether messages are missing before a given one, or an earlier absence is not
// read up to its end.
func (c *Channel) Behind(newest string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.missing != "" || message.Before(cmp.Or(c.state.last, c.state.since), newest)
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

// Continues reports whether the first of the messages that no request has is a part of one that
// a request has: what was meant for the bot did not go away.
func (c *Channel) Continues() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	return len(s.wanting) > 0 && (len(s.meant) == 0 || message.Before(s.wanting[0], s.meant[0]))
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

// Parent is the channel that this one is a thread of, as messages name it; "" for none.
func (c *Channel) Parent() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range slices.Backward(c.state.order) {
		if parent := c.state.messages[id].Parent; parent != "" {
			return parent
		}
	}
	return ""
}

// Project is the one that the channel's session was made for, "" where that is not on record.
func (c *Channel) Project() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.project
}
