package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/measure"
)

// scrollStep is how far scrollUp goes per frame.
const scrollStep = 200

// mostFrames are what a page must reach that scrolls at 60 frames per second, which are the most: the
// machine itself takes one or two.
const mostFrames = 58

// longTurns are the turns of a session of 5,000 messages.
const longTurns = 2_500

// scroll measures the frames of a long session that is scrolled.
func (b *bench) scroll(ctx context.Context) ([]measure.Figure, error) {
	var rate, longest measure.Series
	err := b.compare(ctx, setup{turns: longTurns}, messages(2*longTurns), func(p pair, t *tab, isBare bool) error {
		shown := ".answer"
		if isBare {
			shown = "article"
		}
		if err := t.do(chromedp.Navigate(p.url(isBare, "/s/"+p.belay.long))); err != nil {
			return err
		}
		if err := t.settled(ctx, shown); err != nil {
			return err
		}
		return t.scrolled(isBare, &rate, &longest)
	})
	return []measure.Figure{
		rate.Figure("scroll", "a session of 5,000 messages scrolls, frames per second", "per s", measure.AtLeast(mostFrames)),
		longest.Figure("scroll", "the same, longest frame", "ms", nil),
	}, err
}

// scrolled scrolls the page and notes the frames.
func (t *tab) scrolled(isBare bool, rate, longest *measure.Series) error {
	seen, err := value[struct{ PerSecond, Longest, Moved, Count float64 }](t, scrollUp)
	if err == nil && seen.Moved < seen.Count*scrollStep/2 {
		err = fmt.Errorf("in %v frames it scrolled by %v pixels only", seen.Count, seen.Moved)
	}
	rate.Add(isBare, seen.PerSecond)
	longest.Add(isBare, seen.Longest)
	return err
}

// settled waits until a page shows no more of something than before.
func (t *tab) settled(ctx context.Context, selector string) error {
	before, since := 0, time.Now()
	for end := time.Now().Add(patience); ; {
		n, err := value[int](t, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
		switch {
		case err != nil:
			return err
		case n != before:
			before, since = n, time.Now()
		case n > 2 && time.Since(since) > settleTime:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("the page shows %d %s", n, selector)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// settleTime is how long nothing may be added to a page that is settled.
const settleTime = 2 * time.Second
