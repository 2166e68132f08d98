package main

import (
	"context"
	"errors"

	"github.com/chromedp/chromedp"

	"belay/bench/measure"
)

// firstView measures how soon a page answers input, and how much it loads for that.
func (b *bench) firstView(ctx context.Context) ([]measure.Figure, error) {
	var took, bytes measure.Series
	err := b.compare(ctx, setup{}, bareDocument{}, func(p pair, t *tab, isBare bool) error {
		if err := errors.Join(t.do(chromedp.Navigate("about:blank")), t.clearCache(), t.before(firstInput), t.do(chromedp.Navigate(p.url(isBare, "/")))); err != nil {
			return err
		}
		if err := t.until("window.benchFirst"); err != nil {
			return err
		}
		first, err := value[struct{ Ms, Bytes float64 }](t, "window.benchFirst")
		took.Add(isBare, first.Ms)
		bytes.Add(isBare, first.Bytes/1000)
		return err
	})
	return []measure.Figure{
		bytes.Figure("first view", "loaded until the first view answers input", "kB", measure.AtMost(250)),
		took.Figure("first view", "the first view answers input after", "ms", measure.AtMost(1000)),
	}, err
}
