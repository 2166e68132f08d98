package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/measure"
)

// questions is how many are asked in a round, each in a session of its own.
const questions = 5

// question measures how long after its event a question is on the screen.
func (b *bench) question(ctx context.Context) ([]measure.Figure, error) {
	var took measure.Series
	err := b.compare(ctx, setup{}, bareDocument{}, func(p pair, t *tab, isBare bool) error {
		for range questions {
			ask := p.belay.question
			if isBare {
				ask = p.bare.question
			}
			ms, err := ask(ctx, t)
			if err != nil {
				return err
			}
			took.Add(isBare, ms)
		}
		return nil
	})
	return []measure.Figure{took.Figure("question", "a question is on the screen after its event", "ms", measure.AtMost(200))}, err
}

// question has a new session ask while it is shown.
func (s *server) question(ctx context.Context, t *tab) (float64, error) {
	id, err := s.session(ctx)
	if err != nil {
		return 0, err
	}
	if err := t.do(chromedp.Navigate("http://" + s.Addr + "/s/" + id)); err != nil {
		return 0, fmt.Errorf("open the session: %w", err)
	}
	if err := t.until("document.querySelector('#message:enabled')"); err != nil {
		return 0, err
	}
	if _, err := value[bool](t, awaitQuestion); err != nil {
		return 0, err
	}
	if err := s.turn(ctx, id, "ask"); err != nil {
		return 0, fmt.Errorf("start the turn: %w", err)
	}
	if err := t.until("window.benchQuestion"); err != nil {
		return 0, err
	}
	shown, err := value[float64](t, "window.benchQuestion")
	if err != nil {
		return 0, err
	}
	asked, err := s.logged(id, "permission:request")
	return shown - float64(asked.UnixMicro())/1000, err
}

// question has the server say something that the page shows.
func (s *bareServer) question(ctx context.Context, t *tab) (float64, error) {
	if err := t.do(chromedp.Navigate(s.URL("/"))); err != nil {
		return 0, err
	}
	if _, err := value[bool](t, awaitQuestion); err != nil {
		return 0, err
	}
	if err := t.until("stream.readyState === 1"); err != nil {
		return 0, err
	}
	asked := time.Now()
	if err := s.say(ctx, `{"id":"q","text":"May it?","question":true}`); err != nil {
		return 0, err
	}
	if err := t.until("window.benchQuestion"); err != nil {
		return 0, err
	}
	shown, err := value[float64](t, "window.benchQuestion")
	return shown - float64(asked.UnixMicro())/1000, err
}
