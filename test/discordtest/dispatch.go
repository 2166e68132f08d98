package discordtest

import "slices"

// dispatch sends an event to the bot, if it asked for such; intents 0 is everybody.
// While nobody is connected the event waits for a resume. The caller holds the lock.
func (g *Gateway) dispatch(event string, intents int, data any) {
	s := g.current
	if s == nil || intents != 0 && s.intents&intents == 0 {
		return
	}
	s.seq++
	seq := s.seq
	p := packet{Op: opDispatch, D: data, S: &seq, T: event}
	s.events = append(s.events, p)
	if s.conn != nil {
		s.conn.send(p)
		if g.twice {
			s.conn.send(p)
		}
	}
}

// message dispatches a message with what the bot's intents let it see: the content
// of its own messages, direct messages and those that name it, and of all others with
// MESSAGE_CONTENT (events/gateway#message-content-intent).
func (g *Gateway) message(event string, m *Message) {
	s := g.current
	if s == nil {
		return
	}
	o := clone(m)
	o["guild_id"] = m.GuildID
	intents := intentMessages
	if m.GuildID == "" {
		intents = intentDirectMessages
		delete(o, "guild_id")
	}
	named := slices.ContainsFunc(m.Mentions, func(u User) bool { return u.ID == g.server.Bot.ID })
	if s.intents&intentContent == 0 && m.GuildID != "" && m.Author.ID != g.server.Bot.ID && !named {
		o["content"], o["attachments"], o["components"] = "", []any{}, []any{}
	}
	g.dispatch(event, intents, o)
}

func (g *Gateway) deleted(m *Message) {
	intents := intentMessages
	o := map[string]any{"id": m.ID, "channel_id": m.ChannelID}
	if m.GuildID == "" {
		intents = intentDirectMessages
	} else {
		o["guild_id"] = m.GuildID
	}
	g.dispatch("MESSAGE_DELETE", intents, o)
}
