package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"belay/bench/load"
	"belay/bench/measure"
)

// fanReaders is how many read the log of one turn at the same time, fanCalls how many
// tool calls that turn makes: a few thousand small events.
const (
	fanReaders = 200
	fanCalls   = 1000
)

// fanOut measures how many events of one turn's log a server gives its readers.
func (b *bench) fanOut(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: "go", reply: "Done.", sessions: 1, script: fanScript()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var rate, work measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		session := s.sessions[0]
		before, err := s.server.Processor()
		if err != nil {
			return err
		}
		took, err := load.Replay(ctx, s.server.Addr, session.ID, fanReaders, session.Last, s.setup.lineBytes())
		if err != nil {
			return err
		}
		after, err := s.server.Processor()
		delivered := float64(fanReaders * session.Last)
		rate.Add(s.bare, delivered/took.Seconds())
		work.Add(s.bare, 1000*ms(after-before)/delivered)
		return err
	})
	return []measure.Figure{
		rate.Figure("fan-out", fmt.Sprintf("events of one turn's log that %d readers get", fanReaders), "per s", measure.AtLeast(400_000)),
		work.Figure("fan-out", "the same, processor time per event", "µs", nil),
	}, err
}

// fanScript is a turn of many short calls.
func fanScript() []byte {
	return []byte(`{"turns": [{"when": "go", "steps": [` +
		strings.Repeat(`{"call": {"name": "glob", "input": {"pattern": "none"}}},`, fanCalls) + `{"say": "Done."}]}]}`)
}
