package chat

import "time"

// engineClock tells the engine's time, which that of this machine may be far from. An event
// is read when it was written or later, so the one that took least tells best. Either clock may
// be set meanwhile, so only events of late count. Where none was read in time, the clock is
// behind, and who asks waits for the engine's own word.
type engineClock struct {
	own func() time.Time
	// ahead is by how much the machine's clock is ahead of the engine's, at most, and read when
	// the event was that tells so.
	ahead time.Duration
	read  time.Time
}

// comparedFor is how long an event tells the time.
const comparedFor = 2 * time.Minute

// compare compares the clocks by an event that the engine wrote at a time.
func (c *engineClock) compare(written time.Time) {
	now := c.own()
	if ahead := now.Sub(written); c.read.IsZero() || ahead < c.ahead || now.Sub(c.read) > comparedFor {
		c.ahead, c.read = ahead, now
	}
}

// now is the engine's time.
func (c *engineClock) now() time.Time { return c.own().Add(-c.ahead) }
