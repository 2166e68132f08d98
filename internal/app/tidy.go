package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/session"
)

// tidyEvery is how often a server applies retention; it does so at its start as
// well.
const tidyEvery = 6 * time.Hour

// scratchAge is how old something in the scratch folder must be to be the
// leaving of a process that crashed.
const scratchAge = 24 * time.Hour

// Retention is what the configuration says may go.
func (a *App) Retention() session.GCOptions {
	return retention(a.Config)
}

// tidy applies retention until ctx ends. What cannot be removed now is tried
// again the next time.
func (a *App) tidy(ctx context.Context, c *carrier) {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		_, err := a.Store.GC(ctx, a.Retention())
		err = errors.Join(a.sweepScratch(), err, a.forgetDeleted(ctx, c))
		if err != nil && ctx.Err() == nil {
			a.log.Warn("retention could not be applied in full", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweepScratch removes what crashed processes left in the scratch folder.
func (a *App) sweepScratch() error {
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
		errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return errors.Join(append(errs, err)...)
}
