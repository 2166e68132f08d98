package main

import (
	"context"
	"errors"

	"belay/bench/measure"
)

// pair are both servers of a row, and a tab that shows the page of one of them.
type pair struct {
	*bench
	belay *server
	bare  *bareServer
}

// compare starts both servers and has the sides take turns, each time in a new tab.
func (b *bench) compare(ctx context.Context, s setup, bare bareDocument, one func(p pair, t *tab, isBare bool) error) (err error) {
	p := pair{bench: b}
	if p.belay, err = b.startServer(ctx, s); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.belay.Stop()) }()
	if p.bare, err = startBare(bare); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.bare.Stop()) }()
	return measure.Rounds(ctx, b.o.Rounds, func(isBare bool) error {
		t, err := b.browser.open()
		if err != nil {
			return err
		}
		defer t.close()
		if !isBare {
			if err := p.belay.enter(ctx, t); err != nil {
				return err
			}
		}
		return one(p, t, isBare)
	})
}

// url is an address of the server of a side. The bare one has the same page everywhere.
func (p pair) url(isBare bool, path string) string {
	if isBare {
		return p.bare.URL("/")
	}
	return "http://" + p.belay.Addr + path
}
