package app

import (
	"context"
	"errors"
	"slices"

	"belay/internal/session"
	"belay/internal/tool/shell"
)

// GCReport says what retention removed, or would remove: of sessions, and of runs.
type GCReport struct {
	session.GCReport
	Runs     int   `json:"runs"`
	RunBytes int64 `json:"runBytes"`
}

// GC applies retention to every session that is known, and to the runs of their
// projects, and sweeps what crashed processes left. With dryRun it only counts.
func (a *App) GC(ctx context.Context, dryRun bool) (r GCReport, err error) {
	projects, err := a.knownProjects(ctx)
	if err != nil {
		return r, err
	}
	var errs []error
	for _, project := range projects {
		more, err := a.Runs.GC(ctx, project, runRetention(a.Config), dryRun)
		r.Runs, r.RunBytes = r.Runs+more.Runs, r.RunBytes+more.Bytes
		errs = append(errs, err)
		if !dryRun {
			errs = append(errs, a.Engine.Files.Sweep(ctx, project, a.Config.Blobs.Retention), shell.SweepProject(project))
		}
	}
	o := a.Retention()
	o.DryRun = dryRun
	if p := a.Config.Project; p != "" {
		o.Projects = []string{p}
	}
	r.GCReport, err = a.Store.Upkeep.GC(ctx, o)
	if err == nil && !dryRun {
		err = a.Sweep(ctx)
	}
	return r, errors.Join(append(errs, err)...)
}

// knownProjects are the project that is set, those that have had sessions, and those of the
// sessions that there are.
func (a *App) knownProjects(ctx context.Context) ([]string, error) {
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return nil, err
	}
	all := a.Store.Catalog().Projects()
	if a.Config.Project != "" {
		all = append(all, a.Config.Project)
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if rec, err := a.Store.Get(ctx, id); err == nil { // one that cannot be read is reported elsewhere
			all = append(all, rec.ProjectRoot)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
