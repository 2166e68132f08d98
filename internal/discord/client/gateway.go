package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
	"github.com/gorilla/websocket"

	"belay/internal/discord/message"
)

// Event is one thing that happened. Exactly one field is set.
type Event struct {
	// Ready says that a new session began: what happened before was missed. Bot is
	// the bot's own user.
	Ready *message.Author
	// Resumed says that the session goes on: what happened meanwhile came before.
	Resumed bool
	// Guild is a server that the bot is in.
	Guild *Guild
	// Thread is a thread with its parent channel.
	Thread *Thread
	// Gone is a channel, or a thread, that was deleted.
	Gone string
	// Created and Edited are whole messages; Parent is not set in them.
	Created, Edited *message.Message
	// Deleted are messages of which only id, channel and server are known.
	Deleted     []message.Message
	Interaction *Interaction
}

// Guild is a server: its boost level bounds the size of files.
type Guild struct {
	ID      string
	Tier    int
	Threads []Thread
}

// Thread is a channel within a channel.
type Thread struct {
	ID, Parent string
	// Before is an id below that of its first message, which in a forum is the thread's own.
	Before string
	// Last is its newest message, "" where Discord does not say so.
	Last string
}

// intents are the events that belay asks for.
const intents = gateway.IntentGuilds | gateway.IntentGuildMessages | gateway.IntentMessageContent |
	gateway.IntentDirectMessages | gateway.IntentGuildMessageReactions | gateway.IntentDirectMessageReactions

// Connect receives events until ctx is done, which is no error, or until Discord
// does not let the bot in. A lost connection is made again, and resumed where Discord
// remembers it. Handle is called for one event at a time, in order; while it works no
// event is read, for which there are about 40 seconds.
//
// The connection is belay's own: that of the library has data races where it is made
// again, and goroutines that nobody can wait for.
func (c *Client) Connect(ctx context.Context, handle func(Event)) error {
	var at discord.Gateway
	if err := c.do(ctx, callTimeout, rest.GetGateway.Compile(nil), nil, &at); err != nil {
		return ending(ctx, err)
	}
	l := &link{token: c.token, url: at.URL, handle: handle}
	for failures := 0; ; {
		start := time.Now()
		began, err := l.listen(ctx)
		if fatal := ending(ctx, err); fatal == nil || KindOf(fatal) != Temporary {
			return fatal
		}
		if began && time.Since(start) > steady {
			failures = 0
			continue
		}
		failures++
		c.log.Warn("the gateway is connected again", "failures", failures)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(backoff(failures)):
		}
	}
}

// steady is how long a connection lasts whose end is no failure: it is made again at
// once.
const steady = 30 * time.Second

// backoff is the pause after so many failures: 1 s to 1 min, and up to a half more.
func backoff(failures int) time.Duration {
	d := min(time.Second<<min(failures-1, 10), time.Minute)
	return d + rand.N(d/2)
}

// ending says why the gateway was left: nil where ctx is done.
func ending(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		switch closed.Code {
		case gateway.CloseEventCodeAuthenticationFailed.Code:
			return &Error{Kind: Revoked, Call: "gateway", Reason: "the token is not valid", err: err}
		case gateway.CloseEventCodeDisallowedIntent.Code:
			return &Error{Kind: Refused, Call: "gateway", Reason: "the bot may not read messages: turn on Message Content Intent in Discord's developer portal, on the page Bot", err: err}
		}
	}
	if errors.As(err, &closed) && !gateway.CloseEventCodeByCode(closed.Code).Reconnect && closed.Code >= 4000 {
		return &Error{Kind: Refused, Call: "gateway", Reason: fmt.Sprintf("the server closed the connection for good (%d)", closed.Code), err: err}
	}
	return &Error{Kind: Temporary, Call: "gateway", Reason: "the connection ended", err: err}
}

func eventOf(data gateway.EventData) (Event, bool) {
	switch e := data.(type) {
	case gateway.EventReady:
		bot := author(e.User.User)
		return Event{Ready: &bot}, true
	case gateway.EventResumed:
		return Event{Resumed: true}, true
	case gateway.EventGuildCreate:
		g := Guild{ID: e.ID.String(), Tier: int(e.PremiumTier)}
		for _, t := range e.Threads {
			g.Threads = append(g.Threads, threadOf(t))
		}
		return Event{Guild: &g}, true
	case gateway.EventThreadCreate:
		return Event{Thread: new(threadOf(e.GuildThread))}, true
	case gateway.EventThreadUpdate:
		return Event{Thread: new(threadOf(e.GuildThread))}, true
	case gateway.EventThreadDelete:
		return Event{Gone: e.ID.String()}, true
	case gateway.EventChannelDelete:
		return Event{Gone: e.ID().String()}, true
	case gateway.EventMessageCreate:
		m := convert(e.Message)
		return Event{Created: &m}, true
	case gateway.EventMessageUpdate:
		m := convert(e.Message)
		return Event{Edited: &m}, true
	case gateway.EventMessageDelete:
		return deletion(e.ChannelID, e.GuildID, e.ID), true
	case gateway.EventMessageDeleteBulk: // by a moderator, or a bot
		return deletion(e.ChannelID, e.GuildID, e.IDs...), len(e.IDs) > 0
	case gateway.EventInteractionCreate:
		in, ok := interactionOf(e.Interaction)
		return Event{Interaction: &in}, ok
	}
	return Event{}, false
}

func deletion(channel snowflake.ID, guild *snowflake.ID, ids ...snowflake.ID) (e Event) {
	for _, id := range ids {
		m := message.Message{ID: id.String(), Channel: channel.String(), Deleted: true}
		if guild != nil {
			m.Guild = guild.String()
		}
		e.Deleted = append(e.Deleted, m)
	}
	return e
}
