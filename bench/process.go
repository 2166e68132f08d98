package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"belay/bench/load"
	"belay/bench/measure"
)

// idleStreams is how many event streams are opened to weigh one.
const idleStreams = 1000

// afterLoad is how long a server is left alone before it is weighed again.
const afterLoad = 2 * time.Minute

// start measures from the start of the process to its first answer, in folders
// that it has never seen.
func (b *bench) start(ctx context.Context) ([]measure.Figure, error) {
	var started measure.Series
	for round := range b.o.Rounds + 1 {
		p, err := b.open(ctx, setup{message: shortMessage})
		if err != nil {
			return nil, err
		}
		if round > 0 { // the first one reads the binaries from the disk
			for _, s := range p.sides() {
				started.Add(s.bare, ms(s.server.Started))
			}
		}
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	return []measure.Figure{started.Figure("start", "start of the process to its first answer", "ms", measure.AtMost(60).Beside(3.90))}, nil
}

// memory weighs both servers idle, with idle streams, and after a load.
func (b *bench) memory(ctx context.Context) ([]measure.Figure, error) {
	const row = "memory"
	idle := measure.Figure{Row: row, What: "memory, idle", Unit: "MB", Target: measure.AtMost(60)}
	stream := measure.Figure{Row: row, What: "memory per idle event stream", Unit: "KiB", Target: measure.AtMost(64)}
	later := measure.Figure{Row: row, What: "memory, 2 minutes after 50 clients at pace 0 and 1,000 turns at one instant", Unit: "MB", Target: measure.AtMost(90)}
	if err := b.idle(ctx, &idle); err != nil {
		return nil, err
	}
	if err := b.streams(ctx, &stream); err != nil {
		return nil, err
	}
	if b.o.quick {
		later.Note = "not run: --quick"
		return []measure.Figure{idle, stream, later}, nil
	}
	return []measure.Figure{idle, stream, later}, b.later(ctx, &later)
}

// idle weighs servers that have just started and done nothing.
func (b *bench) idle(ctx context.Context, m *measure.Figure) error {
	dir := filepath.Join(b.dir, "idle")
	for _, start := range []func() (*side, error){
		func() (*side, error) { return b.startBelay(ctx, setup{}, dir) },
		func() (*side, error) { return b.startBare(ctx, setup{}, dir, []load.Event{}) },
	} {
		s, err := start()
		if err != nil {
			return err
		}
		err = errors.Join(wait(ctx, settled), s.weigh(m), s.server.Stop())
		if err != nil {
			return err
		}
	}
	return nil
}

// settled is when what a start or a change leaves behind is gone.
const settled = 2 * time.Second

// streams weighs what idle event streams add to a server that did little else.
func (b *bench) streams(ctx context.Context, m *measure.Figure) (err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 20})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, s := range p.sides() {
		perStream, err := s.streams(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		s.set(m, perStream)
	}
	return nil
}

// streams opens many idle streams and returns what one takes, in KiB.
func (s *side) streams(ctx context.Context) (float64, error) {
	if err := wait(ctx, settled); err != nil {
		return 0, err
	}
	before, err := s.server.Memory()
	if err != nil {
		return 0, err
	}
	end, err := load.Follow(ctx, s.server.Addr, s.sessions, idleStreams)
	if err != nil {
		return 0, err
	}
	defer end()
	if err := wait(ctx, settled); err != nil {
		return 0, err
	}
	after, err := s.server.Memory()
	return float64(after.Resident-before.Resident) / 1024 / idleStreams, err
}

// later weighs servers that were busy and then had nothing to do for a while.
func (b *bench) later(ctx context.Context, m *measure.Figure) (err error) {
	p, err := b.open(ctx, setup{message: strings.Repeat("twenty-four letters long", 50), sessions: 1000})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, s := range p.sides() {
		if _, err := load.Loop(ctx, s.server.Addr, s.sessions[:50], s.setup.lineBytes(), 2*b.o.length, 0); err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		if _, err := load.Burst(ctx, s.server.Addr, s.sessions, s.setup.lineBytes()); err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	if err := wait(ctx, afterLoad); err != nil {
		return err
	}
	return errors.Join(p.bare.weigh(m), p.belay.weigh(m))
}

// weigh notes what the server occupies now.
func (s *side) weigh(m *measure.Figure) error {
	memory, err := s.server.Memory()
	s.set(m, megabytes(memory.Resident))
	return err
}

// set notes a figure that is measured once.
func (s *side) set(m *measure.Figure, v float64) {
	if s.bare {
		m.Bare = &v
	} else {
		m.Belay = &v
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
