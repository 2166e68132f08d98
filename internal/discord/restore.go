package discord

import (
	"context"
)

// restore takes up what a process before this one left: requests without an answer, questions,
// and messages without a request. A file that cannot be read costs its channel alone.
func (s *Surface) restore(ctx context.Context) error {
	ids, err := s.store.Known()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		c, err := s.channel(id)
		if err != nil {
			s.log.Error("Discord: the record of a channel cannot be read, and nobody is answered there; move the file away", "channel", id, "error", err)
			continue
		}
		s.takeUp(ctx, c)
	}
	return nil
}

// takeUp goes on with a channel. One that is not connected any more is forgotten. The caller
// holds the lock.
func (s *Surface) takeUp(ctx context.Context, c *channel) {
	parent := c.record.Parent()
	if _, bound := s.binding(c.id, parent); !bound {
		s.remove(c)
		return
	}
	if parent != "" {
		s.parents[c.id] = parent // who decides in a thread is asked before Discord names its channel
	}
	s.resume(ctx, c)
	for _, m := range c.record.Wanting() {
		if !c.burst.Add(m, s.o.Now(), 0) {
			s.flush(c)
			c.burst.Add(m, s.o.Now(), 0)
		}
	}
}

// forget removes what is kept of a channel that was deleted in Discord, unless something is
// under way there.
func (s *Surface) forget(c *channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(c.answers) == 0 {
		s.remove(c)
	}
}

// remove removes what is kept of a channel. The caller holds the lock.
func (s *Surface) remove(c *channel) {
	delete(s.channels, c.id)
	delete(s.parents, c.id)
	if err := s.store.Remove(c.id); err != nil {
		s.log.Error("Discord: the record of a channel could not be removed", "channel", c.id, "error", err)
	}
}
