package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/bench/measure"
)

// status is the file with the state of deliverable n.
func (p *project) status(n int) string {
	return filepath.Join(shape(manyDeliverables).Path(p.root, n), "_STATUS.md")
}

// change gives deliverable n a state that it does not have.
func (p *project) change(n int, state string) error {
	return os.WriteFile(p.status(n), []byte("# Status\n\n**Current State:** "+state+"\n**Last Updated:** 2026-02-21\n\n## History\n"), 0o600)
}

// projectChange measures from a file that changes to whoever follows the project,
// and to the new list.
func (b *bench) projectChange(ctx context.Context) (_ []measure.Figure, err error) {
	p, err := b.serveProject(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.server.Stop()) }()
	client := &http.Client{}
	if _, err := fetch(ctx, client, p.listing(), ""); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes, err := p.follow(ctx)
	if err != nil {
		return nil, err
	}
	var told, listed measure.Series
	for round := range b.o.Rounds {
		var event, list, read []float64
		for i := range changesPerRound {
			n := (round*changesPerRound + i) * manyDeliverables / (b.o.Rounds * changesPerRound)
			once := func(state string, seen func(id string) error) (float64, error) {
				if err := p.change(n, state); err != nil {
					return 0, err
				}
				id, _, _ := strings.Cut(filepath.Base(filepath.Dir(p.status(n))), "_")
				return elapsed(func() error { return seen(id) })
			}
			t, err := once("OPEN", func(id string) error { return changes.wait(ctx, id) })
			if err != nil {
				return nil, err
			}
			event = append(event, t)
			before, err := fetch(ctx, client, p.listing(), "")
			if err != nil {
				return nil, err
			}
			t, err = once("ISSUED", func(string) error {
				f, err := fetch(ctx, client, p.listing(), before.tag)
				if err == nil && f.status != http.StatusOK {
					err = errors.New("the list does not have the change")
				}
				return err
			})
			if err != nil {
				return nil, err
			}
			list = append(list, t)
			t, err = elapsed(func() error { _, err := os.ReadFile(p.status(n)); return err })
			if err != nil {
				return nil, err
			}
			read = append(read, t)
		}
		told.AddBoth(measure.Median(read), measure.Median(event))
		listed.AddBoth(measure.Median(read), measure.Median(list))
	}
	m := told.Figure("project", "a changed file in a project of 10,000, until its event, p50", "ms", measure.AtMost(50).Beside(0.087))
	m.Note = "beside reading the file"
	return []measure.Figure{m, listed.Figure("project", "the same, until the whole new list is there, p50", "ms", measure.AtMost(50).Beside(0.087))}, nil
}

// follower reads the events of a project.
type follower struct {
	lines chan string
	err   error // after lines is closed
}

// follow follows the project until ctx ends.
func (p *project) follow(ctx context.Context) (*follower, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address("events"), nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		return nil, err
	}
	f := &follower{lines: make(chan string)}
	go func() {
		defer close(f.lines)
		defer resp.Body.Close()
		in := bufio.NewScanner(resp.Body)
		in.Buffer(nil, toolLineBytes)
		for in.Scan() {
			if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				select {
				case f.lines <- data:
				case <-ctx.Done():
					return
				}
			}
		}
		f.err = in.Err()
	}()
	return f, f.wait(ctx, "projectRoot")
}

// wait waits for an event with some words.
func (f *follower) wait(ctx context.Context, words string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		select {
		case data, ok := <-f.lines:
			if !ok {
				return fmt.Errorf("the events ended: %w", f.err)
			}
			if strings.Contains(data, words) {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("no event about %s: %w", words, ctx.Err())
		}
	}
}
