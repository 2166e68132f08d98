package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"belay/bench/load"
	"belay/bench/measure"
)

// toolLineBytes is more than the longest event of a tool call.
const toolLineBytes = 1 << 20

// step is one of the scripted provider's.
type step map[string]any

// callMessage has the provider play a [calling]; callWords is what it says between
// two calls, so that each has a request of its own.
const (
	callMessage = "Please call the tools."
	callWords   = "Next."
)

// calling is a turn with many calls of a tool, one after the other.
type calling struct {
	tool string
	// before are calls that are not measured; count is how many are, and input
	// makes that of call i, no two the same: a turn repeats itself only so often.
	before []step
	count  int
	input  func(i int) step
	// want is in the event of each result.
	want string
	// oneSession takes all turns in one session, whose commands find the caches that
	// earlier ones left in their HOME.
	oneSession bool
}

func call(tool string, input step) step {
	return step{"call": step{"name": tool, "input": input}}
}

// script is the conversation as the scripted provider takes it: JSON is YAML.
func (c calling) script() ([]byte, error) {
	var steps []step
	for _, b := range c.before {
		steps = append(steps, b, step{"say": callWords})
	}
	for i := range c.count {
		steps = append(steps, call(c.tool, c.input(i)), step{"say": callWords})
	}
	return json.Marshal(step{"turns": []step{{"when": callMessage, "steps": steps}}})
}

// setup is what a server needs to play it.
func (c calling) setup() (setup, error) {
	script, err := c.script()
	return setup{
		message: callMessage, reply: strings.Repeat(callWords, len(c.before)+c.count), script: script,
		opts: map[string]any{"mode": "acceptEdits", "maxTurns": len(c.before) + c.count + 1},
	}, err
}

// comparison is a tool beside another way to do the same.
type comparison struct {
	row, what string
	target    *measure.Target
	note      string
	calling
	// fill makes the project.
	fill func(project string) error
	// bare does it the other way, once; it is timed. Nil, with the reason in note,
	// where the machine cannot.
	bare func(ctx context.Context, project string) error
	// disturb is done before each round, and end undoes it after the round. Neither is
	// timed; nil is nothing.
	disturb func() (end func() error, err error)
}

// compare measures what a call takes, on the average of a turn, and the other way
// the same number of times. A figure is the median of the rounds.
func (b *bench) compare(ctx context.Context, c comparison) (_ measure.Figure, err error) {
	s, err := c.setup()
	if err != nil {
		return measure.Figure{}, err
	}
	s.fill = c.fill
	b.pairs++
	dir := filepath.Join(b.dir, fmt.Sprintf("tools-%d", b.pairs))
	belay, err := b.startBelay(ctx, s, dir)
	if err != nil {
		return measure.Figure{}, err
	}
	defer func() { err = errors.Join(err, belay.server.Stop(), os.RemoveAll(dir)) }()
	if c.oneSession {
		if err := belay.makeSessions(ctx, 1); err != nil {
			return measure.Figure{}, err
		}
	}
	var figures measure.Series
	for round := range b.o.Rounds + 1 {
		took, other, err := belay.compareOnce(ctx, c)
		if err != nil {
			return measure.Figure{}, err
		}
		if round == 0 { // the first one fills caches, and keeps what files hold
			continue
		}
		figures.Add(false, ms(took))
		if c.bare != nil {
			figures.Add(true, ms(other))
		}
	}
	m := figures.Figure(c.row, c.what, "ms", c.target)
	m.Note = c.note
	return m, nil
}

// compareOnce is one round: what a call takes, and what it takes the other way.
func (s *side) compareOnce(ctx context.Context, c comparison) (took, other time.Duration, err error) {
	if c.disturb != nil {
		var end func() error
		if end, err = c.disturb(); err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	if took, _, err = s.call(ctx, c.calling); err != nil {
		return 0, 0, fmt.Errorf("belay: %w", err)
	}
	start := time.Now()
	for i := 0; i < c.count && c.bare != nil; i++ {
		if err := c.bare(ctx, s.project); err != nil {
			return 0, 0, fmt.Errorf("beside it: %w", err)
		}
	}
	return took, time.Since(start) / time.Duration(c.count), nil
}

// call takes one turn and returns what a call of it took, and the whole turn. Where
// no sessions were made before, the turn has a session of its own.
func (s *side) call(ctx context.Context, c calling) (took, turn time.Duration, err error) {
	one := s.sessions
	if len(one) == 0 {
		one, err = s.newSessions(ctx, 1, s.setup.body())
	}
	if err != nil {
		return 0, 0, err
	}
	times, sample, err := load.Calls(ctx, s.server.Addr, one[0], toolLineBytes, c.want)
	if err != nil {
		return 0, 0, err
	}
	if got, want := len(times)-1, len(c.before)+c.count; got != want {
		return 0, 0, fmt.Errorf("%d calls, not %d", got, want)
	}
	return times[len(times)-1].Sub(times[len(c.before)]) / time.Duration(c.count), sample.Total, nil
}

// program runs one with its output thrown away.
func program(ctx context.Context, name string, args ...string) error {
	return exec.CommandContext(ctx, name, args...).Run()
}

// toolRound measures what a call costs beyond its own work, which is to read a
// line: a whole turn, shared among its calls.
func (b *bench) toolRound(ctx context.Context) (_ []measure.Figure, err error) {
	c := calling{tool: "read", count: 30, input: func(i int) step { return step{"path": "notes.md", "offset": i + 1, "limit": 1} }, want: "line"}
	s, err := c.setup()
	if err != nil {
		return nil, err
	}
	s.fill = func(project string) error {
		return os.WriteFile(filepath.Join(project, "notes.md"), []byte(strings.Repeat("a line\n", c.count)), 0o600)
	}
	p, err := b.open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var figures measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		for range 5 {
			_, turn, err := s.call(ctx, c)
			if err != nil {
				return err
			}
			figures.Add(s.bare, ms(turn/time.Duration(c.count)))
		}
		return nil
	})
	const what = "a turn of 30 tool calls (a line is read), one round of it: request, call, permit, result"
	return []measure.Figure{figures.Figure("tools", what, "ms", measure.AtMost(1).Beside(0.061))}, err
}
