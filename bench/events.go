package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"belay/bench/load"
	"belay/bench/measure"
)

// pace is the scripted provider's default wait between pieces of text.
const pace = 35 * time.Millisecond

// pieceBytes is how much the scripted provider says at a time.
const pieceBytes = 24

// shortMessage is the 20-byte message of most rows.
const shortMessage = "Please read the log."

// turnsAlone is how many turns a lone client takes per round.
const turnsAlone = 500

func (b *bench) firstEventOne(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var p50, p99, whole measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), 0, turnsAlone)
		p50.Add(s.bare, ms(load.Percentile(r.First, 50)))
		p99.Add(s.bare, ms(load.Percentile(r.First, 99)))
		whole.Add(s.bare, ms(load.Percentile(r.Total, 50)))
		return err
	})
	const row = "first event, one client"
	return []measure.Figure{
		p50.Figure(row, "first event, one client, p50", "ms", measure.AtMost(1.5).Beside(0.167)),
		p99.Figure(row, "first event, one client, p99", "ms", measure.AtMost(6).Beside(0.309)),
		whole.Figure(row, "whole turn, one client, p50", "ms", nil),
	}, err
}

func (b *bench) firstEventPaced(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{pace: pace, message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		first.Add(s.bare, ms(load.Percentile(r.First, 50)))
		return err
	})
	return []measure.Figure{first.Figure("50 clients", "first event, 50 clients, pace 35 ms, p50", "ms", measure.AtMost(4).Beside(0.286))}, err
}

func (b *bench) throughput(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first, turns, work measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		before, err := s.server.Processor()
		if err != nil {
			return err
		}
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		if err != nil {
			return err
		}
		first.Add(s.bare, ms(load.Percentile(r.First, 50)))
		turns.Add(s.bare, r.PerSecond(int64(len(r.First))))
		after, err := s.server.Processor()
		work.Add(s.bare, ms(after-before)/float64(len(r.First)))
		return err
	})
	return []measure.Figure{
		first.Figure("50 clients", "first event, 50 clients, pace 0, p50", "ms", measure.AtMost(25).Beside(4.77)),
		turns.Figure("50 clients", "complete turns per second, 50 clients, pace 0", "per s", measure.AtLeast(1500).Beside(6495)),
		turns.Figure("50 clients", "the same, as a share of the bare server's", "per s", &measure.Target{Limit: 0.4, AtLeast: true, OfRatio: true}),
		work.Figure("50 clients", "the same, processor time per turn", "ms", nil),
	}, err
}

// sessionsEach is how many sessions a client makes in a round: the bare server
// never closes their files.
const sessionsEach = 20

// sessionsTarget is a share of what the bare server keeps. It makes one file for each
// session and keeps a third to two thirds of its turns per second, by what the file
// system had to do before: a target without it would measure the file system.
var sessionsTarget = &measure.Target{Limit: 0.55, AtLeast: true, OfRatio: true}

// oneTurn compares sessions of one turn, each made and then used, with turns in
// sessions that are there.
func (b *bench) oneTurn(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: shortMessage, sessions: 50})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var rate, share measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		turns, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		if err != nil {
			return err
		}
		made, err := load.Fresh(ctx, s.server.Addr, s.project, s.setup.body(), s.setup.answer(), len(s.sessions), sessionsEach, s.setup.lineBytes())
		if err != nil {
			return err
		}
		perSecond := made.PerSecond(int64(len(made.Total)))
		rate.Add(s.bare, perSecond)
		share.Add(s.bare, perSecond/turns.PerSecond(int64(len(turns.Total))))
		return nil
	})
	return []measure.Figure{
		rate.Figure("50 clients", "sessions of one turn per second, 50 clients, pace 0", "per s", nil),
		share.Figure("50 clients", "the same, as a share of turns per second in existing sessions", "of them", sessionsTarget),
	}, err
}

// thousand sends 1,000 turns of two seconds each at one instant.
func (b *bench) thousand(ctx context.Context) (_ []measure.Figure, err error) {
	const pieces = int(2 * time.Second / pace)
	message := strings.Repeat("twenty-four letters long", pieces+1)[:pieces*pieceBytes]
	p, err := b.open(ctx, setup{pace: pace, message: message, sessions: 1000})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var first, whole, peak measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		r, err := load.Burst(ctx, s.server.Addr, s.sessions, s.setup.lineBytes())
		if err != nil {
			return err
		}
		first.Add(s.bare, ms(load.Percentile(r.First, 99)))
		whole.Add(s.bare, ms(load.Percentile(r.Total, 99)))
		m, err := s.server.Memory()
		peak.Add(s.bare, megabytes(m.Peak))
		return err
	})
	const row = "1,000 turns at one instant"
	return []measure.Figure{
		first.Figure(row, "1,000 turns at one instant (2 s each), first event, p99", "ms", measure.AtMost(600).Beside(112)),
		whole.Figure(row, "the same, whole turn, p99", "ms", nil),
		peak.Figure(row, "the same, most memory", "MB", measure.AtMost(160)),
	}, err
}

// longMessage makes replies of 24,000 bytes.
func longMessage() string { return strings.Repeat("twenty-four letters long", 1000) }

// replyBytes compares with a bare server that sends every piece of text as an
// event of its own, which is what a server does that gathers nothing.
func (b *bench) replyBytes(ctx context.Context) ([]measure.Figure, error) {
	return b.reply(ctx, piecewise, "reply bytes per second, 24,000-byte replies, 50 clients, pace 0",
		"the bare server sends every piece of text as an event", &measure.Target{Limit: 0.5, AtLeast: true, OfRatio: true})
}

// replyBytesGathered compares with a bare server that sends the very events that
// belay sends, with the text already gathered.
func (b *bench) replyBytesGathered(ctx context.Context) ([]measure.Figure, error) {
	return b.reply(ctx, nil, "the same, beside a bare server that sends belay's events",
		"its text comes gathered, from a file", nil)
}

func (b *bench) reply(ctx context.Context, reshape func([]load.Event) []load.Event, what, note string, t *measure.Target) (_ []measure.Figure, err error) {
	p, err := b.open(ctx, setup{message: longMessage(), sessions: 50, reshape: reshape})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var rate measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		r, err := load.Loop(ctx, s.server.Addr, s.sessions, s.setup.lineBytes(), b.o.length, 0)
		rate.Add(s.bare, megabytes(int64(r.PerSecond(r.ReplyBytes))))
		return err
	})
	m := rate.Figure("reply bytes", what, "MB/s", t)
	m.Note = note
	return []measure.Figure{m}, err
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
