package discord

import (
	"context"
	"slices"
	"time"

	"belay/internal/attachment/block"
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
		for _, c := range s.channels {
			s.resume(s.life, c)
		}
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
