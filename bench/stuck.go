package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belay/bench/load"
	"belay/bench/measure"
)

// stuckStreams is how many readers of a long log stop reading, stuckTurns how many
// turns of longMessage make that log: 19 MB.
const (
	stuckStreams = 500
	stuckTurns   = 380
)

// stuckFor is how long they are watched at most: shorter than a server's patience
// with them.
const stuckFor = 25 * time.Second

// stuck weighs the most that readers take which have asked for a long log from its
// beginning and read nothing of the answer.
func (b *bench) stuck(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: longMessage(), sessions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	m := measure.Figure{
		Row: "stuck readers", What: "memory that 500 stuck readers of a 19 MB log add", Unit: "MB", Target: measure.AtMost(100),
		Note: "the most from when they came until the server has nothing left to do; the bare server reads its log line by line",
	}
	for _, s := range p.sides() {
		if _, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), 0, stuckTurns); err != nil {
			return nil, fmt.Errorf("%s: make the log: %w", s.name(), err)
		}
		if err := b.restart(ctx, p, s); err != nil {
			return nil, fmt.Errorf("%s: start again: %w", s.name(), err)
		}
		if err := s.weighStuck(ctx, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	return []measure.Figure{m}, nil
}

// restart puts a new process in the place of a side's server, on the same folders:
// what the former one still occupied would hide what is added.
func (b *bench) restart(ctx context.Context, p *pair, s *side) error {
	err := s.server.Stop()
	s.server = nil
	if err != nil {
		return err
	}
	start := func() (*side, error) { return b.startBelay(ctx, s.setup, p.dir) }
	if s.bare {
		start = func() (*side, error) { return b.startBare(ctx, s.setup, p.dir, []load.Event{}) }
	}
	fresh, err := start()
	if err == nil {
		s.server = fresh.server
	}
	return err
}

func (s *side) weighStuck(ctx context.Context, m *measure.Figure) error {
	if err := wait(ctx, settled); err != nil {
		return err
	}
	before, err := s.server.Memory()
	if err != nil {
		return err
	}
	if err := s.server.ForgetPeak(); err != nil {
		return err
	}
	end, err := load.Stuck(ctx, s.server.Addr, s.sessions[0].ID, stuckStreams)
	if err != nil {
		return err
	}
	defer end()
	if err := s.rests(ctx, stuckFor); err != nil {
		return err
	}
	after, err := s.server.Memory()
	s.set(m, megabytes(after.Peak-before.Resident))
	return err
}

// rests waits until the server does nothing any more, for so long at most.
func (s *side) rests(ctx context.Context, most time.Duration) error {
	const look, nothing = time.Second, 20 * time.Millisecond
	var last time.Duration
	for begin := time.Now(); time.Since(begin) < most; {
		if err := wait(ctx, look); err != nil {
			return err
		}
		used, err := s.server.Processor()
		if err != nil {
			return err
		}
		if used-last < nothing {
			return nil
		}
		last = used
	}
	return nil
}
