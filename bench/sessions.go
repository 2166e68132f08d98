package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"belay/bench/load"
	"belay/bench/material/sessions"
	"belay/bench/measure"
	"belay/bench/proc"
)

// Of the rows about projects with much behind them.
const (
	manySessions = 5_000
	pageRows     = 50
	longTurns    = 3_000
)

// sessionList measures a page of a long list: the command as a new process, and
// the server's answer.
func (b *bench) sessionList(ctx context.Context) (_ []measure.Figure, err error) {
	dir := filepath.Join(b.dir, "sessions")
	project, err := makeSessions(dir, func(m *sessions.Maker) error { return m.Many(ctx, manySessions) })
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(project, ".belay", "sessions")
	says := fmt.Sprintf("%d sessions not listed", manySessions-pageRows)
	args := []string{"session", "list", "--project", project, "--limit", fmt.Sprint(pageRows)}
	t, err := b.besideIn(ctx, proc.Env(dir), args, says, "-sessions", folder)
	if err != nil {
		return nil, err
	}
	command := t.wall.Figure("sessions", "belay session list of 5,000 sessions, limit 50", "ms", measure.AtMost(50).Beside(28.9))
	command.Note = "beside a program that looks at each session.json and reads those of 50 sessions and their transcripts"
	answer, err := b.sessionPage(ctx, dir, project)
	return []measure.Figure{command, t.work.Figure("sessions", "the same, processor time", "ms", nil), answer}, errors.Join(err, os.RemoveAll(dir))
}

// makeSessions makes a project with sessions in dir, for a server that is started
// there.
func makeSessions(dir string, fill func(*sessions.Maker) error) (project string, err error) {
	project = filepath.Join(dir, "project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		return "", err
	}
	m, err := sessions.New(filepath.Join(dir, "home"), project)
	if err != nil {
		return "", err
	}
	return project, errors.Join(fill(m), m.Close())
}

// sessionPage measures the page over HTTP, beside a handler that has its bytes in
// memory.
func (b *bench) sessionPage(ctx context.Context, dir, project string) (_ measure.Figure, err error) {
	s, err := b.startBelay(ctx, setup{root: project}, dir)
	if err != nil {
		return measure.Figure{}, err
	}
	defer func() { err = errors.Join(err, s.server.Stop()) }()
	client := &http.Client{}
	address := fmt.Sprintf("http://%s/api/harness/session/list?projectRoot=%s&limit=%d", s.server.Addr, url.QueryEscape(project), pageRows)
	first, err := fetch(ctx, client, address, "")
	if err != nil {
		return measure.Figure{}, err
	}
	bare, err := hold(first)
	if err != nil {
		return measure.Figure{}, err
	}
	defer func() { err = errors.Join(err, bare.Stop()) }()
	var figures measure.Series
	for range b.o.Rounds {
		if err := gets(ctx, client, bare.URL("/"), "", first, &figures.Bare); err != nil {
			return measure.Figure{}, err
		}
		if err := gets(ctx, client, address, "", first, &figures.Belay); err != nil {
			return measure.Figure{}, err
		}
	}
	m := figures.Figure("sessions", "GET /api/harness/session/list of 5,000 sessions, limit 50, p50", "ms", measure.AtMost(50).Beside(0.098))
	m.Note = "beside a net/http handler that has the same bytes"
	return m, nil
}

// longSession measures a session of many turns in a server that has just started:
// its first turn, and the manifest of a turn in its middle.
func (b *bench) longSession(ctx context.Context) (_ []measure.Figure, err error) {
	dir := filepath.Join(b.dir, "long")
	var id string
	var last int64
	project, err := makeSessions(dir, func(m *sessions.Maker) (err error) {
		id, last, err = m.Long(ctx, longTurns)
		return err
	})
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(project, ".belay", "sessions", id)
	var turn, manifest measure.Series
	for round := range b.o.Rounds + 1 {
		took, shown, err := b.afterRestart(ctx, dir, project, id, &last)
		if err != nil {
			return nil, err
		}
		all, err := elapsed(func() error { return readAndAppend(folder) })
		if err != nil {
			return nil, err
		}
		one, err := elapsed(func() error { _, err := readHashed(filepath.Join(folder, "transcript.jsonl")); return err })
		if err != nil {
			return nil, err
		}
		if round == 0 { // the first turn makes a summary of the turns that no longer fit
			continue
		}
		turn.AddBoth(all, took)
		manifest.AddBoth(one, shown)
	}
	first := turn.Figure("sessions", "first turn after a restart, session of 3,000 turns", "ms", measure.AtMost(100).Beside(8.51))
	first.Note = "beside reading and hashing its transcript and the end of its log, appending a turn's bytes, and a flush"
	second := manifest.Figure("sessions", "manifest of a turn in a session of 3,000 turns", "ms", measure.AtMost(20).Beside(5.60))
	second.Note = "beside reading and hashing its transcript"
	return []measure.Figure{first, second}, os.RemoveAll(dir)
}

// afterRestart starts a server, takes a turn and gets manifests; last is the last
// event of the session.
func (b *bench) afterRestart(ctx context.Context, dir, project, id string, last *int64) (turn, manifest float64, err error) {
	s, err := b.startBelay(ctx, setup{root: project, message: shortMessage}, dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.server.Stop()) }()
	one, err := load.NewSession(s.server.Addr, id, s.setup.body(), s.setup.answer())
	if err != nil {
		return 0, 0, err
	}
	one.Last = *last
	c, err := load.Dial(ctx, s.server.Addr, 64<<10)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	sample, err := c.Turn(one)
	if err != nil {
		return 0, 0, err
	}
	*last = one.Last
	client := &http.Client{}
	address := "http://" + s.server.Addr + "/api/harness/session/" + id + "/manifest?turn=" + sessions.Turn(longTurns/2)
	var took []float64
	for range getsPerRound {
		t, err := elapsed(func() error {
			f, err := fetch(ctx, client, address, "")
			if err == nil && f.status != http.StatusOK {
				err = fmt.Errorf("%s: status %d", address, f.status)
			}
			return err
		})
		if err != nil {
			return 0, 0, err
		}
		took = append(took, t)
	}
	return ms(sample.Total), measure.Median(took), nil
}

// readHashed reads a file to its end, and hashes it.
func readHashed(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(sha256.New(), f)
	return n, errors.Join(err, f.Close())
}

// turnBytes is about what a turn of a short message appends to each of its files.
const turnBytes = 2_000

// readAndAppend does what a turn does with a session's files, and nothing else.
func readAndAppend(folder string) error {
	logs, err := filepath.Glob(filepath.Join(folder, "log", "*.jsonl"))
	if err != nil {
		return err
	}
	for i, path := range []string{logs[len(logs)-1], filepath.Join(folder, "transcript.jsonl")} {
		if _, err := readHashed(path); err != nil {
			return err
		}
		f, err := os.CreateTemp(folder, ".bare-")
		if err != nil {
			return err
		}
		_, err = f.Write(bytes.Repeat([]byte("x"), turnBytes))
		if i > 0 {
			err = errors.Join(err, f.Sync())
		}
		if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
			return err
		}
	}
	return nil
}
