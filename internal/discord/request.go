package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"belay/internal/bus/contract"
	"belay/internal/discord/composition"
	"belay/internal/discord/message"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
	"belay/internal/fault"
)

// requestID is the id of the request that begins with a message. The same message
// gives the same id after a restart.
func requestID(channel, first string) string { return platform + ":" + channel + ":" + first }

// channelOf is the channel of a request of this surface.
func channelOf(request string) string {
	parts := strings.Split(request, ":")
	if len(parts) < 3 || parts[0] != platform {
		return ""
	}
	return parts[1]
}

// nonce makes the name of one send: the same for its repetition.
func nonce(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:25]
}

// requests makes requests of what people write, and passes them on.
type requests struct{ s *Surface }

// request composes a request of messages, puts it on record, publishes it and follows
// its answer. It is a job of the channel.
func (rs requests) request(ctx context.Context, c *channel, messages []message.Message) {
	messages = slices.DeleteFunc(messages, func(m message.Message) bool {
		now, _ := c.record.Message(m.ID)
		return now.Deleted
	})
	if len(messages) == 0 {
		return
	}
	last := messages[len(messages)-1]
	binding, bound := rs.s.binding(c.id, last.Parent)
	if !bound {
		return // disconnected meanwhile
	}
	rs.s.mu.Lock()
	bot := rs.s.bot.ID
	queue, session := rs.route(c, c.present(binding.Project), messages)
	rs.s.mu.Unlock()
	if queue != routing.Steer {
		var err error
		session, err = rs.session(ctx, c, binding, requestID(c.id, messages[0].ID), func() { rs.delayed(c, last.ID) })
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			rs.refuse(ctx, c, messages, err)
			return
		}
	}
	composed := composition.Compose(rs.s.o.Merge, bot, rs.chain(ctx, c, messages), messages)
	r := record.Request{
		ID: requestID(c.id, messages[0].ID), Session: session, Queue: queue, Text: composed.Text, Persona: c.record.Persona(),
		Asker: last.Author, Time: rs.s.o.Now().UTC(),
	}
	for _, m := range messages {
		r.Messages = append(r.Messages, m.ID)
	}
	if err := c.record.Accept(r); err != nil {
		rs.s.log.Error("Discord: a request could not be recorded", "channel", c.id, "error", err)
		rs.refuse(ctx, c, messages, fault.New(fault.StorageFailure, "the disk does not let belay record the request"))
		return
	}
	if len(composed.Dropped) > 0 {
		rs.s.mu.Lock()
		rs.s.say(c, last.ID, "More files came than one request takes. The agent does not get the last ones.")
		rs.s.mu.Unlock()
	}
	rs.s.mu.Lock()
	rs.s.answer(ctx, c, r, false)
	rs.s.mu.Unlock()
}

// patience is how often the bus may fail before the person gets a note.
const patience = 2

// publish puts a request on the bus. It repeats that until the bus has it, or refuses it, and
// calls delayed where that takes long.
func (rs requests) publish(ctx context.Context, r record.Request, delayed func()) error {
	rs.s.mu.Lock()
	parent := rs.s.parents[channelOf(r.ID)]
	rs.s.mu.Unlock()
	m := &contract.RequestMessage{
		Queue: contract.Queue(r.Queue), Text: r.Text, Persona: r.Persona, Merge: string(rs.s.o.Merge),
		Origin: &contract.Origin{Platform: platform, ChannelID: channelOf(r.ID), ParentChannelID: parent, MessageID: r.Messages[len(r.Messages)-1],
			UserID: r.Asker.ID, UserName: composition.Name(r.Asker.Name)},
	}
	return rs.untilFinal(ctx, "publish a request", delayed, func() error { return rs.s.o.Bus.Request(ctx, r.Session, r.ID, m) })
}

// delayed tells a person that a message waits.
func (rs requests) delayed(c *channel, to string) {
	rs.s.mu.Lock()
	defer rs.s.mu.Unlock()
	rs.s.say(c, to, "belay cannot pass this message on now, and goes on trying. It is not lost. Whoever runs belay finds the reason in its log.")
}

// untilFinal repeats f until it succeeds or fails with a reason that stays. It calls delayed
// where that takes long.
func (rs requests) untilFinal(ctx context.Context, what string, delayed func(), f func() error) error {
	for failures := 0; ; failures++ {
		err := f()
		if err == nil || ctx.Err() != nil || final(err) {
			return err
		}
		if failures+1 == patience {
			delayed()
		}
		rs.s.log.Warn("the bus: "+what, "error", err, "failures", failures+1)
		if !pause(ctx, failures) {
			return ctx.Err()
		}
	}
}

// final reports whether repeating a call of the bus is of no use.
func final(err error) bool {
	var f *fault.Error
	if !errors.As(err, &f) {
		return false
	}
	switch f.Type {
	case fault.StorageFailure, fault.Overloaded, fault.SDKFailure:
		return false
	}
	return true
}

// session is the channel's session, made where there is none for the project that the channel
// is connected to now. A reply that is late or lost leaves no second one: the bus knows for
// which request it made one.
func (rs requests) session(ctx context.Context, c *channel, b record.Binding, request string, delayed func()) (string, error) {
	if id := c.present(b.Project); id != "" && !rs.deleted(ctx, id) {
		if c.record.Project() == b.Project {
			return id, nil
		}
		return id, c.record.SetSession(id, b.Project) // an older belay did not record it
	}
	var made contract.Session
	err := rs.untilFinal(ctx, "make a session", delayed, func() (err error) {
		made, err = rs.s.o.Bus.CreateSession(ctx, request, &contract.SessionCreate{ProjectRoot: b.Project, Persona: b.Persona})
		return err
	})
	if err != nil {
		return "", err
	}
	return made.SessionID, c.record.SetSession(made.SessionID, b.Project)
}

// lookTimeout bounds the look for a session. Where nobody answers in time, the request waits
// on the bus.
const lookTimeout = 2 * time.Second

// deleted reports whether somebody deleted a session: a request in it would fail for ever.
func (rs requests) deleted(ctx context.Context, session string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, err := rs.s.o.Bus.Status(ctx, session)
	return fault.Is(err, fault.SessionNotFound)
}

// refuse tells people that their messages are not answered, and why. That is on record until
// Discord has it.
func (rs requests) refuse(ctx context.Context, c *channel, messages []message.Message, why error) {
	rs.s.log.Warn("Discord: messages are not answered", "channel", c.id, "error", why)
	r := record.Request{ID: requestID(c.id, messages[0].ID), Refusal: failure(contract.FailureOf(why)), Time: rs.s.o.Now().UTC()}
	for _, m := range messages {
		r.Messages = append(r.Messages, m.ID)
	}
	if err := c.record.Accept(r); err != nil {
		rs.s.log.Error("Discord: a refusal could not be recorded", "channel", c.id, "error", err)
	}
	rs.s.mu.Lock()
	defer rs.s.mu.Unlock()
	rs.s.answer(ctx, c, r, false)
}

// dismiss puts on record that messages are not answered: the one for the bot was deleted, or
// changed, and the others were meant for it only as a part of that.
func (rs requests) dismiss(c *channel, messages []message.Message) {
	if len(messages) == 0 {
		return
	}
	r := record.Request{ID: requestID(c.id, messages[0].ID)}
	for _, m := range messages {
		r.Messages = append(r.Messages, m.ID)
	}
	if err := c.record.Dismiss(r); err != nil {
		rs.s.log.Error("Discord: messages that are not answered could not be recorded", "channel", c.id, "error", err)
	}
}

// failure is an error as people read it.
func failure(f *contract.Failure) string {
	text := "This did not work"
	if f != nil && f.Message != "" {
		text += ": " + plain(f.Message)
	}
	if f != nil && f.Hint != "" {
		text += "\n" + plain(f.Hint)
	}
	return contract.Cut(text, 1500)
}

// chainTimeout bounds the reading of earlier messages.
const chainTimeout = 10 * time.Second

// chain are the messages that messages reply to, the oldest first.
func (rs requests) chain(ctx context.Context, c *channel, messages []message.Message) []message.Message {
	ctx, cancel := context.WithTimeout(ctx, chainTimeout)
	defer cancel()
	lookup := func(id string) (message.Message, bool) {
		if m, ok := c.record.Message(id); ok {
			return m, true
		}
		m, err := rs.s.client.Message(ctx, c.id, id)
		return m, err == nil
	}
	var all []message.Message
	for _, m := range messages {
		for _, earlier := range composition.Chain(m, lookup) {
			if !slices.ContainsFunc(all, func(other message.Message) bool { return other.ID == earlier.ID }) {
				all = append(all, earlier)
			}
		}
	}
	return all
}
