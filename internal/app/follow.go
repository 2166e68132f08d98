package app

import (
	"context"
	"sync"
	"time"

	"belay/internal/bus"
)

// followers bounds how many turns of other processes are followed at once;
// those beyond it wait for a place and miss nothing.
const followers = 64

// followCheck is how often a silent follower asks whether its turn still runs.
const followCheck = 2 * time.Second

// follow republishes what other processes of this user append: first what came
// while no server ran, then every turn that one of them begins. It returns when
// ctx ends and nothing that it started runs any more.
func (a *App) follow(ctx context.Context, p *bus.Publisher) {
	if ids, err := a.moved(ctx); err != nil {
		a.log.Warn("sessions from before this start are not republished", "error", err)
	} else {
		p.Resume(ids...)
	}
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, followers)
	for id := range a.Store.Signals.Active(ctx) {
		slots <- struct{}{} // followers end by themselves, at the latest with ctx
		running.Go(func() {
			defer func() { <-slots }()
			a.followTurn(ctx, id, p)
		})
	}
}

// moved lists the sessions used since the bus would have forgotten them anyway.
func (a *App) moved(ctx context.Context) ([]string, error) {
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return nil, err
	}
	oldest := time.Now().Add(-bus.DefaultMaxAge)
	kept := ids[:0]
	for _, id := range ids {
		if rec, err := a.Store.Get(ctx, id); err == nil && rec.UpdatedAt.After(oldest) {
			kept = append(kept, id)
		}
	}
	return kept, ctx.Err()
}

// followTurn passes on a session's events until no turn runs in it.
func (a *App) followTurn(ctx context.Context, id string, p *bus.Publisher) {
	// Whatever ends the following, the publisher looks once more: it reads
	// the log to its end and knows what the bus has.
	defer p.Resume(id)
	_, last, err := a.Store.Bounds(ctx, id)
	if err != nil {
		return // gone again
	}
	p.Resume(id)
	r, err := a.Store.Reader(ctx, id, last)
	if err != nil {
		return
	}
	defer func() { _ = r.Close() }() // a reader holds nothing but a place
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, followCheck)
		events, err := r.Next(wait)
		timeout := err != nil && wait.Err() != nil
		cancel()
		if err != nil && !timeout {
			return
		}
		p.Observe(id, events)
		if n := len(events); n > 0 && events[n-1].Ends() {
			return
		}
		if _, _, runs := a.Store.Signals.Running(id); timeout && !runs {
			return
		}
	}
}
