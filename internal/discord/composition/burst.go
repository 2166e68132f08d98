package composition

import (
	"slices"
	"time"

	"belay/internal/discord/message"
)

// MaxBurst is the number of messages that become one request. More begin another.
const MaxBurst = 50

// maxBytes is how much of them becomes one request. Together with what they reply to, and the
// block of their files, it is less than the bus carries.
const maxBytes = 80 << 10

// Portions are the messages of each request that is made of some: no message is lost because
// people wrote much at once.
func Portions(messages []message.Message) (all [][]message.Message) {
	bytes := 0
	for _, m := range messages {
		size := len(header("message", "", m)) + len(body("", m))
		if bytes += size; all == nil || bytes > maxBytes {
			all, bytes = append(all, nil), size
		}
		all[len(all)-1] = append(all[len(all)-1], m)
	}
	return all
}

// Burst gathers messages until a time that the first of them sets; later ones do
// not move it, so a person who goes on writing is answered. The zero value is
// empty. It is not safe for concurrent use.
type Burst struct {
	messages []message.Message
	due      time.Time
	// goesOn says that messages before these are a request already, by the authors before.
	goesOn bool
	before []string
}

// Add puts m at its place by id. The first message sets the end of the burst: wait
// after now. A message that is there already is replaced. It reports false when the
// burst is full.
func (b *Burst) Add(m message.Message, now time.Time, wait time.Duration) bool {
	if b.Edit(m) {
		return true
	}
	if len(b.messages) >= MaxBurst {
		return false
	}
	if len(b.messages) == 0 {
		b.due = now.Add(wait)
	}
	i := slices.IndexFunc(b.messages, func(other message.Message) bool { return message.Before(m.ID, other.ID) })
	if i < 0 {
		i = len(b.messages)
	}
	b.messages = slices.Insert(b.messages, i, m)
	return true
}

// Edit replaces a message that is in the burst and reports whether it was.
func (b *Burst) Edit(m message.Message) bool {
	i := b.index(m.ID)
	if i >= 0 {
		b.messages[i] = m
	}
	return i >= 0
}

// Delete takes a message out of the burst and reports whether it was there.
func (b *Burst) Delete(id string) bool {
	i := b.index(id)
	if i >= 0 {
		b.messages = slices.Delete(b.messages, i, i+1)
	}
	if len(b.messages) == 0 {
		*b = Burst{}
	}
	return i >= 0
}

func (b *Burst) index(id string) int {
	return slices.IndexFunc(b.messages, func(m message.Message) bool { return m.ID == id })
}

// GoOn makes the burst, which is empty, one that goes on from messages that are a request
// already: what people add to these is for the bot as well.
func (b *Burst) GoOn(from []message.Message) {
	b.goesOn = true
	for _, m := range from {
		b.before = append(b.before, m.Author.ID)
	}
}

// GoesOn reports whether the burst goes on from messages that are a request already.
func (b *Burst) GoesOn() bool { return b.goesOn }

// From reports whether the burst, or what it goes on from, has a message by this author. What somebody adds to
// a message for the bot belongs to it, also where it does not name the bot again.
func (b *Burst) From(author string) bool {
	return slices.Contains(b.before, author) || slices.ContainsFunc(b.messages, func(m message.Message) bool { return m.Author.ID == author })
}

// Due is when the burst ends, and false while it is empty.
func (b *Burst) Due() (time.Time, bool) { return b.due, len(b.messages) > 0 }

// Take returns the messages, the oldest first, and empties the burst.
func (b *Burst) Take() []message.Message {
	messages := b.messages
	*b = Burst{}
	return messages
}
