package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"belay/bench/load"
	"belay/bench/proc"
)

// idleStreams is how many event streams are opened to weigh one.
const idleStreams = 1000

// afterLoad is how long a server is left alone before it is weighed again.
const afterLoad = 2 * time.Minute

// start measures from the start of the process to its first answer, in folders
// that it has never seen.
func (b *bench) start(ctx context.Context) ([]Measure, error) {
	var started series
	for round := range b.o.rounds + 1 {
		p, err := b.open(ctx, setup{message: shortMessage})
		if err != nil {
			return nil, err
		}
		if round > 0 { // the first one reads the binaries from the disk
			for _, s := range p.sides() {
				started.add(s, ms(s.server.Started))
			}
		}
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	return []Measure{started.measure("start", "start of the process to its first answer", "ms", atMost(60))}, nil
}

// memory weighs both servers idle, with idle streams, and after a load.
func (b *bench) memory(ctx context.Context) (_ []Measure, err error) {
	const row = "memory"
	message := strings.Repeat("twenty-four letters long", 50)
	idle := Measure{Row: row, What: "memory, idle", Unit: "MB", Target: atMost(60)}
	stream := Measure{Row: row, What: "memory per idle event stream", Unit: "KiB", Target: atMost(64)}
	later := Measure{Row: row, What: "memory, 2 minutes after 50 clients at pace 0 and 1,000 turns at one instant", Unit: "MB", Target: atMost(90)}

	if idle.Bare, idle.Belay, err = b.idle(ctx); err != nil {
		return nil, err
	}
	p, err := b.open(ctx, setup{message: message, sessions: 1000})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, s := range p.sides() {
		perStream, err := weighStreams(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		s.set(&stream, perStream)
		busy := s.sessions[:50]
		if _, err := load.Loop(ctx, s.server.Addr, busy, s.setup.lineBytes(), 2*b.o.length, 0); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		if _, err := load.Burst(ctx, s.server.Addr, s.sessions, s.setup.lineBytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	if b.o.quick {
		later.Note = "not run: --quick"
		return []Measure{idle, stream, later}, nil
	}
	if err := wait(ctx, afterLoad); err != nil {
		return nil, err
	}
	for _, s := range p.sides() {
		m, err := s.server.Memory()
		if err != nil {
			return nil, err
		}
		s.set(&later, megabytes(m.Resident))
	}
	return []Measure{idle, stream, later}, nil
}

// set notes a figure that is measured once.
func (s *side) set(m *Measure, v float64) {
	if s.bare {
		m.Bare = &v
	} else {
		m.Belay = &v
	}
}

// idle weighs servers that have just started and done nothing.
func (b *bench) idle(ctx context.Context) (bare, belay *float64, err error) {
	dir := filepath.Join(b.dir, "idle")
	weigh := func(s *side, err error) (*float64, error) {
		if err != nil {
			return nil, err
		}
		err = wait(ctx, 2*time.Second) // what the start leaves behind is settled
		var m proc.Memory
		if err == nil {
			m, err = s.server.Memory()
		}
		v := megabytes(m.Resident)
		return &v, errors.Join(err, s.server.Stop())
	}
	if belay, err = weigh(b.startBelay(ctx, setup{}, dir)); err != nil {
		return nil, nil, err
	}
	bare, err = weigh(b.startBare(ctx, setup{}, dir, []load.Event{}))
	return bare, belay, err
}

// weighStreams opens many idle streams and returns what one takes, in KiB.
func weighStreams(ctx context.Context, s *side) (float64, error) {
	before, err := s.server.Memory()
	if err != nil {
		return 0, err
	}
	last := map[string]int64{}
	for _, session := range s.sessions {
		last[session.ID] = session.Last
	}
	end, err := load.Follow(ctx, s.server.Addr, s.ids[len(s.ids)-len(s.sessions):], func(id string) int64 { return last[id] }, idleStreams)
	if err != nil {
		return 0, err
	}
	defer end()
	if err := wait(ctx, time.Second); err != nil {
		return 0, err
	}
	after, err := s.server.Memory()
	return float64(after.Resident-before.Resident) / 1024 / idleStreams, err
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
