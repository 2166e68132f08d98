package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/quantity"
	"belay/internal/workspace"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/snapshot"
)

// locksDir is where processes keep each other from working on one folder.
func locksDir(cfg *config.Config) string { return filepath.Join(cfg.Paths.StateDir, "locks") }

// ScaffoldOptions are those of a run that makes an execution root.
func ScaffoldOptions(cfg *config.Config) scaffold.Options {
	o := scaffoldLimits(cfg)
	o.Clock = time.Now
	return o
}

func scaffoldLimits(cfg *config.Config) scaffold.Options {
	return scaffold.Options{LockDir: locksDir(cfg), InstructionRoot: cfg.Instructions, Private: PrivateFolders(cfg), MaxBytes: scaffold.MaxDocumentBytes}
}

// SnapshotOptions are those of a snapshot that a command publishes.
func SnapshotOptions(cfg *config.Config) (snapshot.Options, error) {
	audit, err := openAudit(cfg)
	if err != nil {
		return snapshot.Options{}, err
	}
	return snapshotOptions(cfg, audit, newGate(cfg)), nil
}

// snapshotOptions are those of snapshots, each on the audit log before it is published.
func snapshotOptions(cfg *config.Config, audit *permit.Audit, gate workspace.Gate) snapshot.Options {
	o := snapshotLimits(cfg)
	o.Clock, o.Gate = time.Now, gate
	o.Record = recorder(audit, snapshotEntry)
	return o
}

// snapshotEntry is a publication as the audit log has it.
func snapshotEntry(r snapshot.Record) permit.Entry {
	e := permit.Entry{
		Kind: "snapshot", Project: r.Project, SessionID: r.By.Session, TurnID: r.By.Turn, Agent: r.By.Agent, By: r.By.Name,
		Summary: fmt.Sprintf("%s: %s, %d bytes", r.Path, quantity.Count(r.Files, "file", "files"), r.Bytes), Note: "manifest " + r.SHA256,
	}
	if r.By.Run != "" {
		e.By = "run " + r.By.Run
	}
	return e
}

func snapshotLimits(cfg *config.Config) snapshot.Options {
	return snapshot.Options{LockDir: locksDir(cfg), MaxFiles: snapshot.MaxFiles, MaxBytes: cfg.Snapshot.Bytes}
}

// scaffolder makes projects for callers of a server.
type scaffolder struct {
	cfg *config.Config
	// roots are the folders in or below which callers may name something, nil for
	// any.
	roots allowedRoots
}

func newScaffolder(cfg *config.Config) scaffolder { return scaffolder{cfg, projectRoots(cfg)} }

func (m scaffolder) allow(field, path string) error {
	if m.roots == nil || !filepath.IsAbs(path) || m.roots.allows(path) {
		return nil
	}
	return fault.New(fault.Forbidden, "this server does not serve what %s names (server.project_roots)", field).
		With("reason", "project").WithHint("name a path in or below a folder of server.project_roots")
}

// allows refuses a request that names something outside of the folders that callers may
// name.
func (m scaffolder) allows(r scaffold.Request) error {
	if err := m.allow("executionRoot", r.ExecutionRoot); err != nil {
		return err
	}
	return m.allow("decompositionPath", r.DecompositionPath)
}

// Scaffold implements [api.Scaffolder].
func (m scaffolder) Scaffold(ctx context.Context, r scaffold.Request) (scaffold.Result, error) {
	if err := m.allows(r); err != nil {
		return scaffold.Result{}, err
	}
	return scaffold.Run(ctx, r, ScaffoldOptions(m.cfg))
}

// Outline implements [api.Scaffolder].
func (m scaffolder) Outline(_ context.Context, r scaffold.Request) (scaffold.Outline, error) {
	if err := m.allows(r); err != nil {
		return scaffold.Outline{}, err
	}
	p, err := scaffold.Preview(r, ScaffoldOptions(m.cfg))
	if err != nil {
		return scaffold.Outline{}, err
	}
	return p.Outline(), nil
}

// Example implements [api.Scaffolder].
func (m scaffolder) Example(ctx context.Context, projectRoot string) (string, error) {
	if projectRoot != "" {
		if err := m.allow("projectRoot", projectRoot); err != nil {
			return "", err
		}
		return exampleAt(ctx, projectRoot, m.cfg)
	}
	base := ""
	if len(m.roots) > 0 {
		base = m.roots[0]
	} else if home, err := os.UserHomeDir(); err == nil {
		base = home
	}
	if base == "" {
		return "", fault.New(fault.InvalidRequest, "projectRoot is required: this user has no home folder").With("field", "projectRoot")
	}
	return exampleBelow(ctx, base)
}
