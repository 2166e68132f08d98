package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"belay/bench/load"
	"belay/bench/measure"
	"belay/bench/proc"
)

// conversation is how many turns a session has before a new one is taken: the
// history is sent every time, and without an end it alone would be measured.
const (
	conversation  = 20
	conversations = 5 // per client and round
)

// sdkReply is what the npm mock answers.
const sdkReply = "It is all in the log."

// sdk compares a whole turn with a call of the Anthropic SDK alone, both against
// the same independent mock of that service.
func (b *bench) sdk(ctx context.Context) (_ []measure.Figure, err error) {
	const row = "Anthropic SDK against the npm mock"
	upstream, missing, err := b.startAIMock(ctx)
	if err != nil {
		return nil, err
	}
	one := measure.Figure{Row: row, What: "whole turn through the Anthropic SDK, one client, p50", Unit: "ms", Target: measure.AtMost(3).Beside(0.488)}
	ten := measure.Figure{Row: row, What: "the same, ten clients", Unit: "per s", Target: measure.AtLeast(700).Beside(4347)}
	if missing != "" {
		one.Note, ten.Note = "not run: "+missing, "not run: "+missing
		return []measure.Figure{one, ten}, nil
	}
	defer func() { err = errors.Join(err, upstream.Stop()) }()
	p, err := b.open(ctx, setup{message: shortMessage, reply: sdkReply, upstream: "http://" + upstream.Addr, sessions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var single, many measure.Series
	err = b.rounds(ctx, p, func(s *side) error {
		for _, clients := range []int{1, 10} {
			r, err := converse(ctx, s, "http://"+upstream.Addr, clients)
			if err != nil {
				return err
			}
			if clients == 1 {
				single.Add(s.bare, ms(load.Percentile(r.Total, 50)))
			} else {
				many.Add(s.bare, r.PerSecond(int64(len(r.Total))))
			}
		}
		return nil
	})
	one.Bare, one.Belay = single.Medians()
	ten.Bare, ten.Belay = many.Medians()
	one.Note = "beside the SDK alone"
	ten.Note = one.Note
	return []measure.Figure{one, ten}, err
}

// converse has every client take some conversations, through belay or, in the
// place of the bare server, with the SDK alone.
func converse(ctx context.Context, s *side, url string, clients int) (load.Result, error) {
	var all load.Result
	for range conversations {
		var r load.Result
		var err error
		if s.bare {
			r, err = sdkAlone(ctx, url, clients)
		} else {
			var sessions []*load.Session
			if sessions, err = s.newSessions(ctx, clients, map[string]any{"message": s.setup.message}); err != nil {
				return all, err
			}
			r, err = load.Loop(ctx, s.server.Addr, sessions, s.setup.lineBytes(), 0, conversation)
		}
		if err != nil {
			return all, err
		}
		all.Total = append(all.Total, r.Total...)
		all.Took += r.Took
	}
	return all, nil
}

func sdkAlone(ctx context.Context, url string, clients int) (load.Result, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := anthropic.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(url),
		option.WithAPIKey("test-key-not-a-secret"), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
		option.WithHTTPClient(&http.Client{Transport: transport}))
	totals, errs := make([][]time.Duration, clients), make([]error, clients)
	start := time.Now()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { totals[i], errs[i] = talk(ctx, client) })
	}
	wg.Wait()
	r := load.Result{Took: time.Since(start)}
	for _, t := range totals {
		r.Total = append(r.Total, t...)
	}
	return r, errors.Join(errs...)
}

// talk is one conversation.
func talk(ctx context.Context, client anthropic.Client) (totals []time.Duration, err error) {
	var history []anthropic.MessageParam
	for range conversation {
		history = append(history, anthropic.NewUserMessage(anthropic.NewTextBlock(shortMessage)))
		start := time.Now()
		stream := client.Messages.NewStreaming(ctx, anthropic.MessageNewParams{
			Model: "claude-sonnet-4-20250514", MaxTokens: 1024, Messages: history,
		})
		var answer anthropic.Message
		for stream.Next() {
			if err := answer.Accumulate(stream.Current()); err != nil {
				return nil, err
			}
		}
		if err := errors.Join(stream.Err(), stream.Close()); err != nil {
			return nil, err
		}
		totals = append(totals, time.Since(start))
		if len(answer.Content) != 1 || answer.Content[0].Text != sdkReply {
			return nil, fmt.Errorf("the SDK read %q", answer.RawJSON())
		}
		history = append(history, answer.ToParam())
	}
	return totals, nil
}

// startAIMock starts the npm mock, or says what is missing for it.
func (b *bench) startAIMock(ctx context.Context) (_ *proc.Server, missing string, err error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, "node is not installed", nil
	}
	script, err := filepath.Abs(filepath.Join(b.o.aimock, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"))
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(script); err != nil {
		return nil, "@copilotkit/aimock is not installed in " + b.o.aimock, nil
	}
	fixture, err := json.Marshal(map[string]any{"fixtures": []any{
		map[string]any{"match": map[string]any{}, "response": map[string]any{"content": sdkReply}},
	}})
	if err != nil {
		return nil, "", err
	}
	file := filepath.Join(b.dir, "aimock.json")
	if err := os.WriteFile(file, fixture, 0o600); err != nil {
		return nil, "", err
	}
	s, err := proc.Start(ctx, proc.Command{
		Path: node, Args: []string{script, "--port", "0", "--fixtures", file, "--chunk-size", "100", "--journal-max", "1"},
		Env: proc.Env(b.dir), Dir: b.dir, Probe: "/health",
	})
	return s, "", err
}
