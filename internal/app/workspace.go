package app

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/api"
	"belay/internal/config"
	"belay/internal/overview"
	"belay/internal/session"
	"belay/internal/workspace"
	"belay/internal/workspace/scan"
)

func projectsOptions(cfg *config.Config) api.Projects {
	return api.Projects{OpenTransitions: openTransitions(cfg), RequireIfMatch: cfg.Workspace.RequireIfMatch}
}

func openTransitions(cfg *config.Config) bool {
	return cfg.Workspace.OpenTransitions && cfg.Loopback() && cfg.TokenFile == ""
}

// OpenGates says what a server lets everybody do who reaches it, "" for nothing.
func OpenGates(cfg *config.Config) string {
	if !openTransitions(cfg) {
		return ""
	}
	return "callers without a token may move deliverables to CHECKING and ISSUED (workspace.open_transitions); the audit log has them as unauthenticated"
}

// projects is how callers of a server get at the contents of projects.
func (a *App) projects() api.Projects {
	p := projectsOptions(a.Config)
	p.Index, p.Recent = a.index, a.recent
	p.Settle = func(ctx context.Context, root string) error { return settle(ctx, a, root) }
	p.Registers, p.Proposals = a.registers.Files, a.registers.Proposals
	p.Transitions, p.Private = a.transitions, PrivateFolders(a.Config)
	snapshots := snapshotOptions(a.Config, a.audit, gateOf(a.shell))
	p.Snapshots, p.Coordination = &snapshots, coordinator(a.Config, a.audit, gateOf(a.shell))
	p.Audit, p.VerifyAudit = a.audit, a.VerifyAudit
	if roots := projectRoots(a.Config); roots != nil {
		p.Allow = roots.project
	}
	hidden := hidden(a.Config)
	p.Hides = func(projectRoot, path string) bool {
		return workspace.NewScope(workspace.ScopeOptions{Project: projectRoot, Private: hidden}).Hidden(path)
	}
	return p
}

// Overview shows the projects that callers of a server may name, and their sessions.
func (a *App) Overview() *overview.Overview {
	return overview.New(overview.Options{
		Sessions: a.Store.Catalog(), Questions: a.requests, Runs: a.Runs, Audit: a.audit, Home: a.Config.Project, Allow: a.projects().Allow, Logger: a.log,
	})
}

// recent lists the projects that have sessions, the latest first, as far as
// callers may name them.
func (a *App) recent(ctx context.Context) ([]api.RecentProject, error) {
	ids, err := a.Store.IDs(ctx)
	if err != nil {
		return nil, err
	}
	roots := projectRoots(a.Config)
	seen := map[string]*api.RecentProject{}
	latest := map[string]time.Time{}
	for _, id := range ids {
		rec, err := a.Engine.Get(ctx, id)
		if session.Unusable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		root := rec.ProjectRoot
		if roots != nil && !roots.allows(root) {
			continue
		}
		p := seen[root]
		if p == nil {
			info, err := os.Stat(root)
			p = &api.RecentProject{ProjectRoot: root, Name: filepath.Base(root), Exists: err == nil && info.IsDir()}
			seen[root] = p
		}
		p.Sessions++
		if rec.UpdatedAt.After(latest[root]) {
			latest[root] = rec.UpdatedAt.Time
			p.UsedAt = scan.Moment(rec.UpdatedAt.Time)
		}
	}
	all := make([]api.RecentProject, 0, len(seen))
	for _, p := range seen {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(x, y api.RecentProject) int {
		return cmp.Or(cmp.Compare(y.UsedAt, x.UsedAt), cmp.Compare(x.ProjectRoot, y.ProjectRoot))
	})
	return all, nil
}
