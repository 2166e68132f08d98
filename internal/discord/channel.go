package discord

import (
	"context"
	"slices"

	"belay/internal/discord/composition"
	"belay/internal/discord/record"
	"belay/internal/discord/routing"
)

// channel is what happens in one channel now. The surface's lock guards it, but for
// record, which has its own.
type channel struct {
	id     string
	record *record.Channel
	burst  composition.Burst
	// requests are made one after another, and so are the messages of questions: none waits
	// for another channel, nor for the other kind.
	requests, questions line
	answers             map[string]*answer // by request
	// absences are how often belay was away and has not read yet what was missed.
	absences int
	// gone says that the channel was deleted in Discord.
	gone bool
}

// channel returns the state of a channel. The caller holds the lock.
func (s *Surface) channel(id string) (*channel, error) {
	if c := s.channels[id]; c != nil {
		return c, nil
	}
	r, err := s.store.Channel(id)
	if err != nil {
		return nil, err
	}
	c := &channel{id: id, record: r, answers: map[string]*answer{}}
	s.channels[id] = c
	return c, nil
}

// binding is how a channel, or the one that a thread is in, is connected.
func (s *Surface) binding(id, parent string) (record.Binding, bool) {
	linked := s.store.Bindings()
	for _, id := range []string{id, parent} {
		if b, ok := s.o.Channels[id]; ok {
			return b, true
		}
		if b, ok := linked[id]; ok {
			return b, true
		}
	}
	return record.Binding{}, false
}

// serves reports whether the settings let belay read a server; "" is direct messages.
func (s *Surface) serves(guild string) bool {
	return guild == "" || len(s.o.Guilds) == 0 || slices.Contains(s.o.Guilds, guild)
}

// settings are who is answered. The caller holds the lock.
func (s *Surface) settings() routing.Settings {
	r := routing.Settings{Bot: s.bot.ID, Guilds: s.o.Guilds, Users: s.o.Users, Channels: map[string]routing.Channel{}}
	for id, b := range s.store.Bindings() {
		r.Channels[id] = routing.Channel{Mode: b.Mode}
	}
	for id, b := range s.o.Channels {
		r.Channels[id] = routing.Channel{Mode: b.Mode}
	}
	return r
}

// line are jobs that are done one after another, by a goroutine that lasts as long as there
// are some. The surface's lock guards it.
type line struct {
	jobs []func(ctx context.Context)
	busy bool
}

// do adds a job to a line of a channel. The caller holds the lock.
func (s *Surface) do(c *line, job func(ctx context.Context)) {
	c.jobs = append(c.jobs, job)
	if c.busy {
		return
	}
	c.busy = true
	s.work.Go(func() {
		for {
			s.mu.Lock()
			if len(c.jobs) == 0 || s.life.Err() != nil {
				c.busy = false
				s.mu.Unlock()
				return
			}
			job := c.jobs[0]
			c.jobs = c.jobs[1:]
			s.mu.Unlock()
			guarded(s.log, func() { job(s.life) })
		}
	})
}
