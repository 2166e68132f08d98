package chat

import "time"

// engineClock tells the engine's time, which that of this machine may be far from. An event
// is read when it was written or later, so the one that took least tells best. Where none was
// read in time, the clock is behind, and who asks waits for the engine's own word.
type engineClock struct {
	own  func() time.Time
	seen bool
	// ahead is by how much the machine's clock is ahead of the engine's, at most.
	ahead time.Duration
}

// read compares the clocks by an event that the engine wrote at a time.
func (c *engineClock) read(written time.Time) {
	if ahead := c.own().Sub(written); !c.seen || ahead < c.ahead {
		c.seen, c.ahead = true, ahead
	}
}

// now is the engine's time.
func (c *engineClock) now() time.Time { return c.own().Add(-c.ahead) }
