package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/session"
)

// tidyEvery is how often a server applies retention; it does so at its start as
// well.
const tidyEvery = 6 * time.Hour

// sweepEvery is how often a server denies the questions whose time is over: those
// that nobody waits for any more.
const sweepEvery = time.Minute

// scratchAge is how old something in the scratch folder must be to be the
// leaving of a process that crashed.
const scratchAge = 24 * time.Hour

// Retention is what the configuration says may go.
func (a *App) Retention() session.GCOptions {
	return retention(a.Config)
}

// tidy applies retention and sweeps until ctx ends. What cannot be removed now is
// tried again the next time.
func (a *App) tidy(ctx context.Context, c *carrier) {
	a.regularly(ctx, tidyEvery, "retention could not be applied in full", func(ctx context.Context) error {
		_, err := a.GC(ctx, false)
		return errors.Join(err, a.forgetDeleted(ctx, c), a.links.Sweep(ctx))
	})
}

// sweepRequests closes questions until ctx ends.
func sweepRequests(ctx context.Context, a *App) {
	a.regularly(ctx, sweepEvery, "questions whose time is over could not be closed", a.requests.Sweep)
}

// regularly does something now and then until ctx ends.
func (a *App) regularly(ctx context.Context, every time.Duration, failed string, do func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	told := "" // once, until it is another error or was over
	for {
		err := do(ctx)
		switch {
		case err == nil:
			told = ""
		case ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			a.log.Warn(failed, "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes what processes left that died, in the state folder and the cache.
func (a *App) Sweep(ctx context.Context) error {
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	return errors.Join(
		sweepScratch(ctx, a, known),
		a.shell.Sweep(func(id string) bool { return known[id] }),
		a.journal.Sweep(ctx, func(id string) bool { return known[id] }),
		sweepServers(a.Config.Paths.StateDir),
	)
}

// sweepScratch removes from the scratch folder what crashed processes left, and
// the folders of sessions that are gone or were not used for a day.
func sweepScratch(ctx context.Context, a *App, known map[string]bool) error {
	dir := scratchDir(a.Config)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < scratchAge {
			continue // gone already, or of a process that lives
		}
		path := filepath.Join(dir, e.Name())
		if known[e.Name()] {
			errs = append(errs, sweepSession(ctx, a, e.Name(), path))
		} else {
			errs = append(errs, durable.RemoveTree(path))
		}
	}
	return errors.Join(append(errs, err)...)
}

// sweepSession removes the scratch folder of a session that was not used for a
// day. Commands find their HOME and TMPDIR made anew.
func sweepSession(ctx context.Context, a *App, id, path string) error {
	rec, err := a.Store.Get(ctx, id)
	if err == nil && time.Since(rec.UpdatedAt.Time) < scratchAge {
		return nil
	}
	lease, err := a.Store.Acquire(ctx, id)
	if errors.Is(err, session.ErrBusy) {
		return nil // a turn runs
	}
	if err != nil {
		return durable.RemoveTree(path) // its project is gone, or only a copy is left
	}
	return errors.Join(durable.RemoveTree(path), lease.Release())
}
