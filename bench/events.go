package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"belay/bench/load"
)

// pace is the scripted provider's default wait between pieces of text.
const pace = 35 * time.Millisecond

// pieceBytes is how much the scripted provider says at a time.
const pieceBytes = 24

// shortMessage is the 20-byte message of most rows.
const shortMessage = "Please read the log."

// turnsAlone is how many turns a lone client takes per round.
const turnsAlone = 500

func (b *bench) firstEventOne(ctx context.Context) (_ []Measure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var p50, p99, whole series
	err = b.rounds(p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), 0, turnsAlone)
		p50.add(s, ms(load.Percentile(r.First, 50)))
		p99.add(s, ms(load.Percentile(r.First, 99)))
		whole.add(s, ms(load.Percentile(r.Total, 50)))
		return err
	})
	const row = "first event, one client"
	return []Measure{
		p50.measure(row, "first event, one client, p50", "ms", atMost(1.5).beside(0.167)),
		p99.measure(row, "first event, one client, p99", "ms", atMost(6).beside(0.309)),
		whole.measure(row, "whole turn, one client, p50", "ms", nil),
	}, err
}

func (b *bench) firstEventPaced(ctx context.Context) (_ []Measure, err error) {
	p, err := b.open(ctx, setup{pace: pace, message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first series
	err = b.rounds(p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		first.add(s, ms(load.Percentile(r.First, 50)))
		return err
	})
	return []Measure{first.measure("50 clients", "first event, 50 clients, pace 35 ms, p50", "ms", atMost(4).beside(0.286))}, err
}

func (b *bench) throughput(ctx context.Context) (_ []Measure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first, turns, work series
	err = b.rounds(p, func(s *side) error {
		before, err := s.server.Processor()
		if err != nil {
			return err
		}
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		if err != nil {
			return err
		}
		first.add(s, ms(load.Percentile(r.First, 50)))
		turns.add(s, r.PerSecond(int64(len(r.First))))
		after, err := s.server.Processor()
		work.add(s, ms(after-before)/float64(len(r.First)))
		return err
	})
	return []Measure{
		first.measure("50 clients", "first event, 50 clients, pace 0, p50", "ms", atMost(25).beside(4.77)),
		turns.measure("50 clients", "complete turns per second, 50 clients, pace 0", "per s", atLeast(1500).beside(6495)),
		turns.measure("50 clients", "the same, as a share of the bare server's", "per s", &Target{Limit: 0.4, AtLeast: true, OfRatio: true}),
		work.measure("50 clients", "the same, processor time per turn", "ms", nil),
	}, err
}

// sessionsEach is how many sessions a client makes in a round: the bare server
// never closes their files.
const sessionsEach = 20

// sessionsTarget is a share of what the bare server keeps. It makes one file for each
// session and keeps a third to two thirds of its turns per second, by what the file
// system had to do before: a target without it would measure the file system.
var sessionsTarget = &Target{Limit: 0.55, AtLeast: true, OfRatio: true}

// oneTurn compares sessions of one turn, each made and then used, with turns in
// sessions that are there.
func (b *bench) oneTurn(ctx context.Context) (_ []Measure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var rate, share series
	err = b.rounds(p, func(s *side) error {
		turns, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		if err != nil {
			return err
		}
		made, err := load.Fresh(ctx, s.server.Addr, s.project, s.setup.body(), s.setup.answer(), len(s.sessions), sessionsEach, s.setup.lineBytes())
		if err != nil {
			return err
		}
		perSecond := made.PerSecond(int64(len(made.Total)))
		rate.add(s, perSecond)
		share.add(s, perSecond/turns.PerSecond(int64(len(turns.Total))))
		return nil
	})
	return []Measure{
		rate.measure("50 clients", "sessions of one turn per second, 50 clients, pace 0", "per s", nil),
		share.measure("50 clients", "the same, as a share of turns per second in existing sessions", "of them", sessionsTarget),
	}, err
}

// thousand sends 1,000 turns of two seconds each at one instant.
func (b *bench) thousand(ctx context.Context) (_ []Measure, err error) {
	const pieces = int(2 * time.Second / pace)
	message := strings.Repeat("twenty-four letters long", pieces+1)[:pieces*pieceBytes]
	p, err := b.open(ctx, setup{pace: pace, message: message, sessions: 1000})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first, whole, peak series
	err = b.rounds(p, func(s *side) error {
		r, err := load.Burst(ctx, s.server.Addr, s.sessions, s.setup.lineBytes())
		if err != nil {
			return err
		}
		first.add(s, ms(load.Percentile(r.First, 99)))
		whole.add(s, ms(load.Percentile(r.Total, 99)))
		m, err := s.server.Memory()
		peak.add(s, megabytes(m.Peak))
		return err
	})
	const row = "1,000 turns at one instant"
	return []Measure{
		first.measure(row, "1,000 turns at one instant (2 s each), first event, p99", "ms", atMost(600).beside(112)),
		whole.measure(row, "the same, whole turn, p99", "ms", nil),
		peak.measure(row, "the same, most memory", "MB", atMost(160)),
	}, err
}

// longMessage makes replies of 24,000 bytes.
func longMessage() string { return strings.Repeat("twenty-four letters long", 1000) }

// replyBytes compares with a bare server that sends every piece of text as an
// event of its own, which is what a server does that gathers nothing.
func (b *bench) replyBytes(ctx context.Context) ([]Measure, error) {
	return b.reply(ctx, piecewise, "reply bytes per second, 24,000-byte replies, 50 clients, pace 0",
		"the bare server sends every piece of text as an event", &Target{Limit: 0.5, AtLeast: true, OfRatio: true})
}

// replyBytesGathered compares with a bare server that sends the very events that
// belay sends, with the text already gathered.
func (b *bench) replyBytesGathered(ctx context.Context) ([]Measure, error) {
	return b.reply(ctx, nil, "the same, beside a bare server that sends belay's events",
		"its text comes gathered, from a file", nil)
}

func (b *bench) reply(ctx context.Context, reshape func([]load.Event) []load.Event, what, note string, t *Target) (_ []Measure, err error) {
	p, err := b.open(ctx, setup{message: longMessage(), sessions: 50, reshape: reshape})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var rate series
	err = b.rounds(p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		rate.add(s, megabytes(int64(r.PerSecond(r.ReplyBytes))))
		return err
	})
	m := rate.measure("reply bytes", what, "MB/s", t)
	m.Note = note
	return []Measure{m}, err
}

// piecewise turns the deltas of a turn into one per piece of text.
func piecewise(turn []load.Event) []load.Event {
	var out []load.Event
	for _, e := range turn {
		var text struct {
			Text string `json:"text"`
		}
		if e.Type != "chat:delta" || json.Unmarshal(e.Data, &text) != nil {
			out = append(out, e)
			continue
		}
		for rest := text.Text; rest != ""; {
			n := min(pieceBytes, len(rest))
			out = append(out, load.Event{Type: e.Type, Data: json.RawMessage(`{"text":"` + rest[:n] + `"}`)})
			rest = rest[n:]
		}
	}
	return out
}
