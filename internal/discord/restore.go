package discord

import (
	"context"
)

// restoration goes on with what is on record.
type restoration struct{ s *Surface }

// restore takes up what a process before this one left: requests without an answer, questions,
// and messages without a request. A file that cannot be read costs its channel alone.
func (r restoration) restore(ctx context.Context) error {
	ids, err := r.s.store.Known()
	if err != nil {
		return err
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, id := range ids {
		c, err := r.s.channel(id)
		if err != nil {
			r.s.log.Error("Discord: the record of a channel cannot be read, and nobody is answered there; move the file away", "channel", id, "error", err)
			continue
		}
		r.takeUp(ctx, c)
	}
	return nil
}

// takeUp goes on with a channel. One that is not connected any more is forgotten. The caller
// holds the lock.
func (r restoration) takeUp(ctx context.Context, c *channel) {
	parent := c.record.Parent()
	if _, bound := r.s.binding(c.id, parent); !bound {
		r.remove(c)
		return
	}
	if parent != "" {
		r.s.parents[c.id] = parent // who decides in a thread is asked before Discord names its channel
	}
	r.s.resume(ctx, c)
	for _, id := range c.record.Asked() {
		r.s.do(&c.questions, func(ctx context.Context) {
			err := r.s.persist(ctx, "correct a link", r.s.o.Attempts, func() error { return questions(r).relink(ctx, c, id) })
			if err != nil && ctx.Err() == nil {
				r.s.log.Warn("Discord: the link of a question leads nowhere", "decision", id, "error", err)
			}
		})
	}
	if c.record.Continues() {
		c.burst.GoOn(nil)
	}
	for _, m := range c.record.Wanting() {
		r.s.gather(c, m, 0)
	}
}

// forget removes what is kept of a channel that was deleted in Discord: when the last answer
// there ends, where some are under way. What nobody has begun to answer is not answered. The
// caller holds the lock.
func (r restoration) forget(c *channel) {
	c.gone = true
	c.burst.Take()
	c.requests.jobs = nil
	r.ended(c)
}

// ended removes what is kept of a channel that was deleted in Discord, unless something is
// under way there, or the process ends: the next one finds out by itself. The caller holds the
// lock.
func (r restoration) ended(c *channel) {
	if c.gone && len(c.answers) == 0 && r.s.channels[c.id] == c && r.s.life.Err() == nil {
		r.remove(c)
		r.disconnect(c.id)
	}
}

// disconnect ends the connection of a channel that /link made: Discord uses no id twice.
func (r restoration) disconnect(channel string) {
	switch was, err := r.s.store.Unbind(channel); {
	case err != nil:
		r.s.log.Error("Discord: a channel that was deleted could not be disconnected", "channel", channel, "error", err)
	case was:
		r.s.log.Info("a channel of Discord was deleted, and is not connected any more", "channel", channel)
	}
}

// remove removes what is kept of a channel. A job of it that is under way records nothing any
// more. The caller holds the lock.
func (r restoration) remove(c *channel) {
	c.requests.jobs, c.questions.jobs = nil, nil
	delete(r.s.channels, c.id)
	delete(r.s.parents, c.id)
	if err := r.s.store.Remove(c.id); err != nil {
		r.s.log.Error("Discord: the record of a channel could not be removed", "channel", c.id, "error", err)
	}
}
