package discord

import (
	"context"
	"slices"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/composition"
	"belay/internal/discord/message"
	"belay/internal/discord/routing"
)

// Reactions say in one character what became of a message.
const (
	reactLate  = "✏️" // edited after it was passed on: the change does not count
	reactTaken = "✅"  // said into the answer that is being written
)

// handle deals with one event of Discord. It does nothing that takes long: while it
// works no event is read.
func (s *Surface) handle(e client.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Ready != nil:
		s.bot = *e.Ready
		absences{s}.catchUp()
		s.resumeAll()
	case e.Resumed:
		s.resumeAll()
	case e.Guild != nil:
		s.tiers[e.Guild.ID] = e.Guild.Tier
		for _, t := range e.Guild.Threads {
			absences{s}.thread(t)
		}
	case e.Thread != nil:
		absences{s}.thread(*e.Thread)
	case e.Gone != "":
		if c := s.channels[e.Gone]; c != nil {
			restoration{s}.forget(c)
		} else {
			restoration{s}.disconnect(e.Gone)
		}
	case e.Created != nil:
		s.created(*e.Created)
	case e.Edited != nil:
		s.edited(*e.Edited)
	case e.Deleted != nil:
		for _, m := range e.Deleted {
			s.removed(m)
		}
	case e.Interaction != nil:
		s.interact(*e.Interaction)
	}
}

// resumeAll goes on in all channels with what Discord did not take before. The caller holds the
// lock.
func (s *Surface) resumeAll() {
	for _, c := range s.channels {
		s.resume(s.life, c)
	}
}

// created deals with a new message, or with one that was missed. The caller holds the
// lock.
func (s *Surface) created(m message.Message) {
	m.Parent = s.parents[m.Channel]
	if _, bound := s.binding(m.Channel, m.Parent); !bound || !s.serves(m.Guild) {
		return // nothing of what is said in other channels, and servers, is kept
	}
	c, err := s.channel(m.Channel)
	if err != nil {
		s.log.Error("Discord: open a channel", "channel", m.Channel, "error", err)
		return
	}
	if _, seen := c.record.Message(m.ID); seen {
		return // delivered twice
	}
	decision := s.settings().Route(m, c.state(c.record.Session()))
	wants := decision.Answer || decision.Reason == routing.NotMeant && c.burst.From(m.Author.ID)
	if err := c.record.See(m, wants, decision.Answer); err != nil {
		s.log.Error("Discord: a message could not be recorded", "channel", m.Channel, "error", err)
		if wants {
			s.say(c, m.ID, "belay cannot take this message: its disk does not let it record anything. Please try again later.")
		}
		return
	}
	if m.Author.ID != s.bot.ID {
		s.announce(c, "created:"+m.ID, &contract.AdapterMessageCreated{AdapterMessage: s.adapter(m)})
	}
	if !wants {
		return
	}
	s.gather(c, m, s.o.Debounce)
	s.rouse()
}

// gather adds a message to the burst of a channel. One for which there is no room begins the
// next, which is for the bot where the full one was. The caller holds the lock.
func (s *Surface) gather(c *channel, m message.Message, wait time.Duration) {
	if c.burst.Add(m, s.o.Now(), wait) {
		return
	}
	if all, asked := s.flush(c); asked {
		c.burst.GoOn(all)
	}
	c.burst.Add(m, s.o.Now(), wait)
}

// edited deals with a change. It counts until the burst of the message is over.
func (s *Surface) edited(m message.Message) {
	c, old, ok := s.seen(m)
	if !ok || !m.Edited || m.Author.ID != old.Author.ID || old.Text == m.Text && len(old.Attachments) == len(m.Attachments) {
		return // Discord added a preview of a link, say; such events may be without the text
	}
	if err := c.record.See(m, false, false); err != nil {
		s.log.Error("Discord: a change could not be recorded", "channel", m.Channel, "error", err)
		return
	}
	if m.Author.ID == s.bot.ID {
		return
	}
	s.announce(c, "updated:"+m.ID+":"+s.o.Now().UTC().Format(time.RFC3339Nano), &contract.AdapterMessageUpdated{AdapterMessage: s.adapter(m)})
	if now, _ := c.record.Message(m.ID); !c.burst.Edit(now) && c.record.Handled(m.ID) {
		s.react(c, m.ID, reactLate)
	}
}

// removed deals with a message that is gone.
func (s *Surface) removed(m message.Message) {
	c, old, ok := s.seen(m)
	if !ok {
		return
	}
	if err := c.record.See(m, false, false); err != nil {
		s.log.Error("Discord: a deletion could not be recorded", "channel", m.Channel, "error", err)
	}
	c.burst.Delete(m.ID)
	if old.Author.ID != s.bot.ID {
		s.announce(c, "deleted:"+m.ID, &contract.AdapterMessageDeleted{Platform: platform, ChannelID: m.Channel, MessageID: m.ID, Time: s.o.Now().UTC()})
	}
}

// seen finds a message that was recorded.
func (s *Surface) seen(m message.Message) (*channel, message.Message, bool) {
	c := s.channels[m.Channel]
	if c == nil {
		return nil, message.Message{}, false
	}
	old, ok := c.record.Message(m.ID)
	return c, old, ok && !old.Deleted
}

// rouse has the schedule look at the bursts.
func (s *Surface) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// schedule ends each burst when it is due.
func (s *Surface) schedule(ctx context.Context) {
	for {
		var next <-chan time.Time
		s.mu.Lock()
		now := s.o.Now()
		var soonest time.Duration
		for _, c := range s.channels {
			due, any := c.burst.Due()
			if !any {
				continue
			}
			if !due.After(now) {
				s.flush(c)
				continue
			}
			if wait := due.Sub(now); next == nil || wait < soonest {
				soonest = wait
				next = time.After(wait)
			}
		}
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-next:
		}
	}
}

// flush makes a request of a burst, or some where it is long, unless what was meant for the bot
// in it went away. The caller holds the lock.
func (s *Surface) flush(c *channel) (all []message.Message, asked bool) {
	asked = c.burst.GoesOn()
	all = c.burst.Take()
	if !asked && !s.meant(c, all) {
		s.do(&c.requests, func(context.Context) { requests{s}.dismiss(c, all) })
		return all, false
	}
	for _, messages := range composition.Portions(all) {
		s.do(&c.requests, func(ctx context.Context) { requests{s}.request(ctx, c, messages) })
	}
	return all, true
}

// meant reports whether one of the messages is for the bot. The caller holds the lock.
func (s *Surface) meant(c *channel, messages []message.Message) bool {
	settings, state := s.settings(), c.state(c.record.Session())
	return slices.ContainsFunc(messages, func(m message.Message) bool { return settings.Route(m, state).Answer })
}
