package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/measure"
)

// Of the live sessions.
const (
	liveSessions = 50
	livePace     = 35 * time.Millisecond
	liveTime     = 8 * time.Second
)

// live measures the longest frame while many sessions are at work.
func (b *bench) live(ctx context.Context) ([]measure.Figure, error) {
	var longest measure.Series
	err := b.compare(ctx, setup{}, bareDocument{}, func(p pair, t *tab, isBare bool) error {
		var err error
		if isBare {
			err = bareLive(ctx, p.bare, t)
		} else {
			err = p.belay.live(ctx, t)
		}
		if err != nil {
			return err
		}
		seen, err := value[struct{ Count, Longest float64 }](t, "(window.benchFrames.stop = true, window.benchFrames)")
		if err == nil && seen.Count < 10 {
			err = fmt.Errorf("only %v frames were drawn", seen.Count)
		}
		longest.Add(isBare, seen.Longest)
		return err
	})
	return []measure.Figure{longest.Figure("live", "50 live sessions in one stream, longest frame", "ms", measure.AtMost(100))}, err
}

// live shows one of many sessions that are at work.
func (s *server) live(ctx context.Context, t *tab) error {
	ids := make([]string, liveSessions)
	for i := range ids {
		var err error
		if ids[i], err = s.session(ctx); err != nil {
			return err
		}
	}
	if err := t.do(chromedp.Navigate("http://" + s.Addr + "/s/" + ids[0])); err != nil {
		return err
	}
	if err := t.until("document.querySelector('#message:enabled')"); err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.turn(ctx, id, "speak"); err != nil {
			return err
		}
	}
	if err := t.until("document.querySelector('.answer')"); err != nil {
		return err
	}
	if err := t.frames(ctx); err != nil {
		return err
	}
	// They were at work for the whole time; they need not go on.
	for _, id := range ids {
		var said any
		if err := s.call(ctx, "POST", "/api/harness/interrupt", map[string]any{"sessionId": id}, &said); err != nil {
			return fmt.Errorf("a session was not at work to the end: %w", err)
		}
	}
	return nil
}

// bareLive shows pieces of many texts.
func bareLive(ctx context.Context, bare *bareServer, t *tab) error {
	if err := t.do(chromedp.Navigate(bare.URL("/"))); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		tick := time.NewTicker(livePace / liveSessions)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				ended <- nil
				return
			case <-tick.C:
			}
			if err := bare.say(ctx, fmt.Sprintf(`{"id":%d,"text":"The words of an answer "}`, i%liveSessions)); err != nil {
				ended <- err
				return
			}
		}
	}()
	err := t.frames(ctx)
	stop()
	return errors.Join(err, <-ended)
}

// frames watches frames for some time.
func (t *tab) frames(ctx context.Context) error {
	if _, err := value[bool](t, watchFrames); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(liveTime):
		return nil
	}
}
