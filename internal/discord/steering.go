package discord

import (
	"slices"

	"belay/internal/discord/message"
	"belay/internal/discord/routing"
)

// present is the channel's session, "" where it has none for the project. An older belay did
// not record the project.
func (c *channel) present(project string) string {
	if of := c.record.Project(); of != "" && of != project {
		return ""
	}
	return c.record.Session()
}

// newest is the newest answer that people can say something into: of a session, or of any
// where that is "". One that runs comes before those that wait. The surface's lock is held.
func (c *channel) newest(session string) *answer {
	var found *answer
	for _, a := range c.answers {
		if !a.steerable() || session != "" && a.request.Session != session {
			continue
		}
		if found == nil || a.running && !found.running || a.running == found.running && a.request.Time.After(found.request.Time) {
			found = a
		}
	}
	return found
}

// state is what routing needs to know of the channel, whose conversation is a session. The
// surface's lock is held.
func (c *channel) state(session string) routing.State {
	var now routing.State
	for _, a := range c.answers {
		if a.steerable() {
			now.Answer = append(now.Answer, a.ids...)
		}
	}
	if session == "" {
		return now
	}
	if a := c.newest(session); a != nil {
		now.Running, now.Asker = true, a.request.Asker.ID
	}
	return now
}

// route says how messages reach the agent, in a channel whose conversation is a session: each
// of them may steer. Into is the session of the answer that they steer. The caller holds the
// lock.
func (rs requests) route(c *channel, session string, messages []message.Message) (queue routing.Queue, into string) {
	queue = routing.Prompt
	state, settings := c.state(session), rs.s.settings()
	for _, m := range messages {
		switch settings.Route(m, state).Queue {
		case routing.Steer:
			for _, a := range c.answers {
				if a.steerable() && slices.Contains(a.ids, m.ReplyTo) {
					return routing.Steer, a.request.Session
				}
			}
			return routing.Steer, session
		case routing.FollowUp:
			queue = routing.FollowUp
		}
	}
	return queue, ""
}
