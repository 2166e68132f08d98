package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belay/bench/load"
)

// referenceTurns is how many turns per second the bare server takes, with 50 clients
// at pace 0, on the machine for which targets in time were set.
const referenceTurns = 6_000

// calibrate measures how many times slower than that machine this one is, at least 1.
// A faster machine gets no stricter target.
func (b *bench) calibrate(ctx context.Context) (slower float64, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 50})
	if err != nil {
		return 0, fmt.Errorf("calibrate: %w", err)
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var turns series
	for range b.o.rounds {
		r, err := load.Loop(ctx, p.bare.server.Addr, p.bare.sessions, p.bare.setup.lineBytes(), time.Second, 0)
		if err != nil {
			return 0, fmt.Errorf("calibrate: %w", err)
		}
		turns.add(p.bare, r.PerSecond(int64(len(r.First))))
	}
	return max(1, referenceTurns/(*median(turns.bare))), nil
}

// on is the target on a machine that is so many times slower than the one that it was
// set for. A ratio, a size or a count needs no change: only time depends on the machine.
func (t *Target) on(slower float64, unit string) *Target {
	if t == nil || t.OfRatio || unit != "ms" && unit != "per s" {
		return t
	}
	scaled := *t
	scaled.Slower = slower
	return &scaled
}

// limit is what the figure is held to on this machine.
func (t *Target) limit() float64 {
	switch {
	case t.Slower == 0:
		return t.Limit
	case t.AtLeast:
		return t.Limit / t.Slower
	default:
		return t.Limit * t.Slower
	}
}
