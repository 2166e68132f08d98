package discord

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"belay/internal/attachment/block"
	"belay/internal/discord/client"
	"belay/internal/discord/message"
)

// What is read of the time in which belay was away.
const (
	missedMessages = 100
	missedTime     = time.Hour
)

// absences reads what was written while belay was away.
type absences struct{ s *Surface }

// begin records the id of each connected channel after which no message may be lost, where none
// is on record. It runs before the connection, because a process may die before it records
// the first message. Discord says which message is the newest: the clock may be wrong.
func (a absences) begin(ctx context.Context) {
	a.s.mu.Lock()
	channels := a.s.settings().Channels
	a.s.mu.Unlock()
	for id := range channels {
		a.s.mu.Lock()
		c, err := a.s.channel(id)
		a.s.mu.Unlock()
		if err == nil && c.record.Since() != "" {
			continue
		}
		var newest string
		if err == nil {
			err = a.s.persist(ctx, "read where a channel begins", a.s.o.Attempts, func() (err error) {
				newest, err = a.s.client.Newest(ctx, id)
				return err
			})
		}
		if err == nil {
			err = c.record.Begin(newest)
		}
		if a.deleted(ctx, c, err) {
			a.s.mu.Lock()
			restoration(a).forget(c)
			_, bound := a.s.binding(id, "")
			a.s.mu.Unlock()
			if !bound {
				continue
			}
		}
		if err != nil && ctx.Err() == nil {
			a.s.log.Warn("Discord: the newest message of a channel is not known; what is missed before belay sees one there is lost", "channel", id, "error", err)
		}
	}
}

// deleted reports whether an error says that a channel was deleted. Discord also knows no channel
// of a server that it does not have at the moment, or that the bot was put out of.
func (a absences) deleted(ctx context.Context, c *channel, err error) bool {
	if !client.Deleted(err) {
		return false
	}
	a.s.mu.Lock()
	b, _ := a.s.binding(c.id, c.record.Parent())
	a.s.mu.Unlock()
	return b.Guild == "" || a.s.client.Guild(ctx, b.Guild) == nil
}

// beginAt records that no message of a channel after an id may be lost. The caller holds the
// lock.
func (a absences) beginAt(channel, id string) {
	c, err := a.s.channel(channel)
	if err == nil {
		err = c.record.Begin(id)
	}
	if err != nil {
		a.s.log.Error("Discord: where a channel begins could not be recorded", "channel", channel, "error", err)
	}
}

// catchUp reads what was missed in each connected channel. Threads follow as Discord names those
// in which something is new: there may be thousands of old ones. The caller holds the lock.
func (a absences) catchUp() {
	for id := range a.s.settings().Channels {
		if c := a.s.channels[id]; c != nil {
			a.catchUpIn(c)
		}
	}
}

// catchUpIn reads what was missed in a channel since the last message that was seen. The
// caller holds the lock.
func (a absences) catchUpIn(c *channel) {
	last, err := c.record.Missing()
	if err != nil {
		a.s.log.Error("Discord: what was missed could not be recorded", "channel", c.id, "error", err)
	}
	if last == "" {
		return
	}
	c.absences++
	a.s.do(&c.requests, func(ctx context.Context) {
		a.missed(ctx, c, last)
		a.caughtUp(ctx, c)
	})
}

// thread notes in which channel a thread is, and reads what was missed in it. Where nothing of it is on record, but something
// was written in it lately, after belay was connected to that channel, this was missed. The
// caller holds the lock.
func (a absences) thread(t client.Thread) {
	a.s.parents[t.ID] = t.Parent
	parent := a.s.channels[t.Parent]
	if _, bound := a.s.binding(t.ID, t.Parent); !bound {
		return
	}
	if c := a.s.channels[t.ID]; c != nil {
		if _, itself := a.s.settings().Channels[t.ID]; !itself && c.record.Behind(t.Last) {
			a.catchUpIn(c)
		}
		return
	}
	if parent == nil {
		return
	}
	since := parent.record.Since()
	if since == "" || message.Before(t.Last, a.oldest()) {
		return
	}
	if message.Before(since, t.Before) {
		since = t.Before
	}
	if !message.Before(since, t.Last) {
		return
	}
	a.beginAt(t.ID, since)
	if c := a.s.channels[t.ID]; c != nil {
		a.catchUpIn(c)
	}
}

// oldest is the id of the first message that is read of what was missed.
func (a absences) oldest() string { return client.IDAt(a.s.o.Now().Add(-missedTime)) }

// caughtUp notes that one absence was read to its end. Until then its beginning stays on
// record: newer messages come meanwhile, and the process may die.
func (a absences) caughtUp(ctx context.Context, c *channel) {
	if ctx.Err() != nil {
		return
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if c.absences--; c.absences > 0 || a.s.channels[c.id] != c {
		return
	}
	if err := c.record.Complete(); err != nil {
		a.s.log.Error("Discord: what was missed could not be recorded", "channel", c.id, "error", err)
	}
}

// missed reads the messages of a channel after one, as a job of it.
func (a absences) missed(ctx context.Context, c *channel, last string) {
	var (
		found, late   []message.Message
		guild, parent string
	)
	err := a.s.persist(ctx, "read what was missed", math.MaxInt, func() (err error) {
		// A list of messages does not say in which server they are, and a thread may have
		// been begun before this process.
		if guild, parent, err = a.s.client.Place(ctx, c.id); err != nil {
			return err
		}
		if found, err = a.s.client.After(ctx, c.id, last); err != nil {
			return err
		}
		// Discord gives the messages next to an id. Where these are too old, others follow.
		if oldest := a.oldest(); len(found) >= missedMessages && message.Before(found[len(found)-1].ID, oldest) {
			late, err = a.s.client.After(ctx, c.id, oldest)
		}
		return err
	})
	if err != nil {
		if a.deleted(ctx, c, err) {
			a.s.mu.Lock()
			restoration(a).forget(c)
			a.s.mu.Unlock()
		} else if ctx.Err() == nil {
			a.s.log.Warn("Discord: what was missed could not be read", "channel", c.id, "reason", client.ReasonOf(err))
		}
		return
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if parent != "" {
		a.s.parents[c.id] = parent
	}
	if _, bound := a.s.binding(c.id, parent); !bound {
		return
	}
	skipped := len(found) >= missedMessages
	oldest := a.s.o.Now().Add(-missedTime)
	for _, m := range append(found, late...) {
		m.Guild, m.Parent = guild, parent
		if m.Time.Before(oldest) || c.record.Forgotten(m.ID) {
			skipped = skipped || a.s.settings().Route(m, c.state(c.record.Session())).Answer
			continue
		}
		a.s.created(m)
	}
	if skipped {
		a.s.say(c, last, fmt.Sprintf("belay was away. Of what was written meanwhile it reads at most %d messages of the last hour. Please ask again what it left out.", missedMessages))
	}
}

// Renew returns a fresh link to a file that a person sent, by the id that its item in
// the block has: "discord:CHANNEL:MESSAGE:FILE".
func (s *Surface) Renew(ctx context.Context, id string) (string, error) {
	parts := strings.Split(id, ":")
	if len(parts) != 4 || parts[0] != platform {
		return "", fmt.Errorf("discord: %.80q names no file of Discord", id)
	}
	m, err := s.client.Message(ctx, parts[1], parts[2])
	if err != nil {
		return "", err
	}
	for _, a := range m.Attachments {
		if a.ID == parts[3] && (block.Item{URL: a.URL}).Valid() {
			return a.URL, nil
		}
	}
	return "", &client.Error{Kind: client.Gone, Reason: "the file is not on its message any more"}
}

// Gone reports whether an error of [Surface.Renew] says that there is no such file any
// more, and why.
func Gone(err error) (reason string, gone bool) {
	if err == nil {
		return "", false
	}
	switch client.KindOf(err) {
	case client.Gone, client.Lost, client.Refused:
		return client.ReasonOf(err), true
	}
	return "", false
}
