package app

import (
	"context"
	"io"
	"slices"
	"time"

	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Boot implements [turn.Engine], for sessions of the allowed projects only. So do those below.
func (c confined) Boot(ctx context.Context, r turn.BootRequest) (turn.BootResult, error) {
	return within(c.session(ctx, r.SessionID), func() (turn.BootResult, error) { return c.engine.Boot(ctx, r) })
}

func (c confined) Create(ctx context.Context, r turn.CreateRequest) (session.Record, error) {
	return within(c.roots.project(r.ProjectRoot), func() (session.Record, error) { return c.engine.Create(ctx, r) })
}

func (c confined) List(ctx context.Context, projectRoot string) ([]session.Record, error) {
	return within(c.roots.project(projectRoot), func() ([]session.Record, error) { return c.engine.List(ctx, projectRoot) })
}

func (c confined) ListPage(ctx context.Context, projectRoot string, o session.ListOptions) (session.Page, error) {
	return within(c.roots.project(projectRoot), func() (session.Page, error) { return c.engine.ListPage(ctx, projectRoot, o) })
}

func (c confined) Get(ctx context.Context, id string) (session.Record, error) {
	return within(c.session(ctx, id), func() (session.Record, error) { return c.engine.Get(ctx, id) })
}

// Find implements [turn.Engine]. Sessions elsewhere are not found.
func (c confined) Find(ctx context.Context, prefix string) ([]session.Record, error) {
	return c.find(ctx, prefix, c.roots.allows)
}

func (c confined) Delete(ctx context.Context, id string) error {
	if err := c.session(ctx, id); err != nil {
		return err
	}
	return c.engine.Delete(ctx, id)
}

func (c confined) Update(ctx context.Context, id string, change turn.SessionChange) (session.Record, error) {
	return within(c.session(ctx, id), func() (session.Record, error) { return c.engine.Update(ctx, id, change) })
}

func (c confined) Transcript(ctx context.Context, id string) ([]session.Entry, error) {
	return within(c.session(ctx, id), func() ([]session.Entry, error) { return c.engine.Transcript(ctx, id) })
}

func (c confined) Export(ctx context.Context, id string, w io.Writer) ([]string, error) {
	return within(c.session(ctx, id), func() ([]string, error) { return c.engine.Export(ctx, id, w) })
}

func (c confined) Import(ctx context.Context, projectRoot string, archive io.Reader) (session.Imported, error) {
	return within(c.roots.project(projectRoot), func() (session.Imported, error) { return c.engine.Import(ctx, projectRoot, archive) })
}

func (c confined) Manifest(ctx context.Context, id, turnID string) (session.Manifest, error) {
	return within(c.session(ctx, id), func() (session.Manifest, error) { return c.engine.Manifest(ctx, id, turnID) })
}

// Usage implements [turn.Engine]. Projects elsewhere are left out.
func (c confined) Usage(ctx context.Context, since time.Time) ([]turn.UsageRow, error) {
	rows, err := c.engine.Usage(ctx, since)
	return slices.DeleteFunc(rows, func(r turn.UsageRow) bool { return !c.roots.allows(r.ProjectRoot) }), err
}

// Fork implements [turn.Engine]. The new session belongs to the same project.
func (c confined) Fork(ctx context.Context, r changes.ForkRequest) (session.Record, error) {
	return within(c.session(ctx, r.SessionID), func() (session.Record, error) { return c.engine.Fork(ctx, r) })
}
