package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/bench/load"
	"belay/bench/measure"
	"belay/bench/proc"
)

// setup says what a comparison needs.
type setup struct {
	// pace is the wait after each piece of text.
	pace time.Duration
	// message is what every turn says, and with the scripted provider also what
	// it must answer.
	message string
	// reply is what the assistant must answer where that is something else.
	reply string
	// sessions is how many are made.
	sessions int
	// upstream is the base URL of the provider; "" is the scripted one, which
	// plays script where there is one.
	upstream string
	script   []byte
	// opts are the turn's options; fill makes belay's project.
	opts map[string]any
	fill func(project string) error
	// root is the project where that is there already.
	root string
	// strace is the program that writes down the servers' calls; "" is none.
	strace string
	// reshape changes the recorded turn that the bare server plays; nil keeps it.
	reshape func([]load.Event) []load.Event
}

// lineBytes is more than the longest line of a stream.
func (s setup) lineBytes() int {
	if s.script != nil {
		return toolLineBytes
	}
	return 2*len(s.message) + 4<<10
}

// body is what every turn sends beside its session's id.
func (s setup) body() map[string]any {
	body := map[string]any{"message": s.message}
	if s.opts != nil {
		body["opts"] = s.opts
	}
	return body
}

func (s setup) answer() []byte {
	if s.reply != "" {
		return []byte(s.reply)
	}
	return []byte(s.message)
}

// side is one of the two servers of a comparison.
type side struct {
	bare     bool
	setup    setup
	project  string
	server   *proc.Server
	trace    string // of strace
	ids      []string
	sessions []*load.Session
}

// pair is a comparison: both servers run, with their sessions made and one turn
// taken in each.
type pair struct {
	dir         string
	bare, belay *side
}

// open starts both servers. The bare one plays a turn that belay was heard to
// play.
func (b *bench) open(ctx context.Context, s setup) (p *pair, err error) {
	p = &pair{}
	defer func() {
		if err != nil {
			p, err = nil, errors.Join(err, p.close())
		}
	}()
	b.pairs++
	p.dir = filepath.Join(b.dir, fmt.Sprintf("pair-%d", b.pairs))
	if p.belay, err = b.startBelay(ctx, s, p.dir); err != nil {
		return p, err
	}
	turn, err := p.belay.record(ctx)
	if err != nil {
		return p, fmt.Errorf("belay: the recorded turn: %w", err)
	}
	if s.reshape != nil {
		turn = s.reshape(turn)
	}
	if p.bare, err = b.startBare(ctx, s, p.dir, turn); err != nil {
		return p, err
	}
	for _, side := range p.sides() {
		if err := side.makeSessions(ctx, s.sessions); err != nil {
			return p, fmt.Errorf("%s: %w", side.name(), err)
		}
		if _, err := load.Loop(ctx, side.server.Addr, side.sessions, s.lineBytes(), 0, 1); err != nil {
			return p, fmt.Errorf("%s: first turns: %w", side.name(), err)
		}
	}
	return p, nil
}

func (p *pair) sides() []*side { return []*side{p.bare, p.belay} }

// close stops the servers and removes what they wrote.
func (p *pair) close() error {
	var errs []error
	for _, s := range p.sides() {
		if s != nil && s.server != nil {
			errs = append(errs, s.server.Stop())
		}
	}
	if p.dir != "" {
		errs = append(errs, os.RemoveAll(p.dir))
	}
	return errors.Join(errs...)
}

// rounds has one run on the two sides in turn.
func (b *bench) rounds(ctx context.Context, p *pair, one func(s *side) error) error {
	return measure.Rounds(ctx, b.o.Rounds, func(bare bool) error {
		if bare {
			return one(p.bare)
		}
		return one(p.belay)
	})
}

// startBelay starts a server of its own in dir, as its user would.
func (b *bench) startBelay(ctx context.Context, s setup, dir string) (*side, error) {
	project := cmp.Or(s.root, filepath.Join(dir, "project"))
	for _, d := range []string{project, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	env := append(proc.Env(dir), "BELAY_SCRIPTED_PACE="+s.pace.String())
	if s.script != nil {
		file := filepath.Join(dir, "script.json")
		if err := os.WriteFile(file, s.script, 0o600); err != nil {
			return nil, err
		}
		env = append(env, "BELAY_SCRIPTED_SCRIPT="+file)
	}
	if s.fill != nil {
		if err := s.fill(project); err != nil {
			return nil, err
		}
	}
	provider := "scripted"
	if s.upstream != "" {
		provider = "anthropic"
		env = append(env, "BELAY_ANTHROPIC_BASE_URL="+s.upstream, "ANTHROPIC_API_KEY=test-key-not-a-secret")
	}
	return start(ctx, &side{setup: s, project: project, trace: filepath.Join(dir, "belay.trace")}, proc.Command{
		Path: b.o.Belay, Args: []string{"serve", "--addr", "127.0.0.1:0", "--provider", provider, "--project", project},
		Env: env, Dir: project, Probe: "/healthz",
	})
}

// start starts the server of a side.
func start(ctx context.Context, s *side, c proc.Command) (_ *side, err error) {
	if s.setup.strace != "" {
		c = underStrace(s.setup.strace, s.trace, c)
	}
	s.server, err = proc.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// startBare starts the yardstick with the turn that it plays.
func (b *bench) startBare(ctx context.Context, s setup, dir string, turn []load.Event) (*side, error) {
	data, err := json.Marshal(turn)
	if err != nil {
		return nil, err
	}
	logs, file := filepath.Join(dir, "bare"), filepath.Join(dir, "turn.json")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	return start(ctx, &side{bare: true, setup: s, project: logs, trace: filepath.Join(dir, "bare.trace")}, proc.Command{
		Path: b.bareBin, Args: []string{"-dir", logs, "-turn", file, "-pace", s.pace.String(), "-upstream", s.upstream},
		Env: proc.Env(dir), Dir: logs, Probe: "/healthz",
	})
}

func (s *side) name() string { return measure.SideName(s.bare) }

// newSessions makes n sessions whose turns have body beside the session's id.
func (s *side) newSessions(ctx context.Context, n int, body map[string]any) ([]*load.Session, error) {
	ids, err := load.CreateSessions(ctx, s.server.Addr, s.project, n)
	if err != nil {
		return nil, err
	}
	sessions := make([]*load.Session, n)
	for i, id := range ids {
		if sessions[i], err = load.NewSession(s.server.Addr, id, body, s.setup.answer()); err != nil {
			return nil, err
		}
	}
	s.ids = append(s.ids, ids...)
	return sessions, nil
}

func (s *side) makeSessions(ctx context.Context, n int) (err error) {
	s.sessions, err = s.newSessions(ctx, n, s.setup.body())
	return err
}

// record returns the events of one turn in a session of its own.
func (s *side) record(ctx context.Context) ([]load.Event, error) {
	one, err := s.newSessions(ctx, 1, s.setup.body())
	if err != nil {
		return nil, err
	}
	events, err := load.Record(ctx, s.server.Addr, one[0], s.setup.lineBytes())
	return slices.Clip(events), err
}
