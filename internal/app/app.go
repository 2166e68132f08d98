// Package app is the only composition root: it builds every part from a
// [config.Config] and returns the engine that they make together.
//
// [Open] gives what a command needs to run turns in its own process. [App.Serve]
// adds what only a server has: the HTTP surface, the event bus, and the entry
// in the state folder by which other commands find it. Nothing but package cli
// imports this package.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"belay/internal/attachment"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/attachment/links"
	"belay/internal/config"
	"belay/internal/durable"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/telemetry"
	"belay/internal/tool/fetch"
	"belay/internal/tool/mcp"
	"belay/internal/tool/shell"
	"belay/internal/turn"
	"belay/internal/workflow/run"
	"belay/internal/workspace/index"
	"belay/internal/workspace/statusfile"
)

// App is a running set of parts. Close ends everything it owns.
type App struct {
	Config *config.Config
	Engine *turn.Local
	Store  *session.Store
	Root   *persona.Root
	// MCP are the MCP servers whose tools turns are offered, nil where none is configured.
	MCP *mcp.Servers

	log       *slog.Logger
	version   string
	planner   *attachment.Planner
	provider  model.Provider
	backends  *backends
	committer *durable.Committer
	requests  *permit.Requests
	added     *permit.AddedRules
	audit     *permit.Audit
	shell     *shell.Shell
	journal   *journal.Store
	fetch     *fetch.Tool
	downloads *download.Downloads
	// received fetches files that people sent, links keeps their addresses.
	received  *download.Downloads
	links     *links.Store
	gatherer  *gather.Gatherer
	registers Registers
	// transitions moves deliverables on.
	transitions *statusfile.Writer
	index       *index.Set
	// Runs carries out workflows.
	Runs *run.Runner
	// traces sends spans; nil for none.
	traces *telemetry.Traces
	// observe gets the events that this process appended; a server sets it.
	observe atomic.Pointer[func(sessionID string, evs []event.Event)]
	// appends counts the times that this process wrote to a log.
	appends atomic.Int64
}

// Open builds the parts that every command needs. The caller closes the App.
func Open(cfg *config.Config, version string, log *slog.Logger) (_ *App, err error) {
	a := &App{Config: cfg, log: log, version: version}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.release())
		}
	}()
	for _, folder := range []struct{ what, dir, variables string }{
		{"state folder", cfg.Paths.StateDir, "BELAY_STATE_DIR or XDG_STATE_HOME"},
		{"cache folder", scratchDir(cfg), "BELAY_CACHE_DIR or XDG_CACHE_HOME"},
	} {
		err := os.MkdirAll(folder.dir, 0o700)
		if fault.IsShortage(err) && !errors.Is(err, syscall.EROFS) {
			return nil, fmt.Errorf("%s: %w", folder.what, err) // another folder would not help
		}
		if err != nil {
			return nil, fault.New(fault.StorageFailure, "the %s cannot be made", folder.what).
				WithHint("let your user write there, or name another folder with %s", folder.variables).Because(err)
		}
	}
	if a.Root, err = openRoot(cfg); err != nil {
		return nil, err
	}
	if cfg.Telemetry.Traces {
		if a.traces, err = telemetry.Open(context.Background(), version, log); err != nil {
			return nil, fault.New(fault.InvalidRequest, "traces cannot be sent: %v", err).WithHint("correct the OTEL_EXPORTER_OTLP_* variables, or set telemetry.traces to false").Because(err)
		}
	}
	a.committer = durable.NewCommitter(0)
	a.index = index.NewSet(index.Options{MaxWatches: index.DefaultWatches, Logger: log, Settle: func(ctx context.Context, root string) error { return settle(ctx, a, root) }})
	store := storeOptions(cfg)
	store.Clock, store.NewID = time.Now, uuid.NewString
	store.Committer, store.Observer = a.committer, a.appended
	store.Forget = func(id string) error { return a.requests.Forget(id) }
	if a.Store, err = session.NewStore(store); err != nil {
		return nil, err
	}
	if a.planner, err = attachment.NewPlanner(plannerOptions(cfg, log)); err != nil {
		return nil, err
	}
	if err := a.openGatherer(cfg); err != nil {
		return nil, err
	}
	if a.provider, err = newProvider(cfg); err != nil {
		return nil, err
	}
	a.backends = newBackends(cfg)
	engine, err := engineOptions(cfg)
	if err != nil {
		return nil, err
	}
	if err := a.equip(&engine); err != nil {
		return nil, err
	}
	engine.Store, engine.Root, engine.Provider, engine.Planner = a.Store, a.Root, a.provider, a.planner
	engine.Logger, engine.Clock, engine.NewID = log, time.Now, newTurnID
	engine.RulesFor, engine.Tracer = newProjects(cfg).rules, a.traces.Tracer()
	engine.Others = a.backends.get
	a.Engine = turn.NewLocal(engine)
	a.Runs = run.New(runOptions(a, &engine))
	return a, nil
}

// Ready reports why no turn could be taken now, or nil: the instruction root is
// not valid, or the provider has no key.
func (a *App) Ready() error { return errors.Join(a.Root.Check(), a.provider.Ready()) }

// Links keeps the addresses of files that people sent. A surface that gives new ones when
// they expire says so there.
func (a *App) Links() *links.Store { return a.links }

// Close waits for running turns until ctx is done, interrupts the rest, and
// releases everything.
func (a *App) Close(ctx context.Context) error {
	return errors.Join(a.Runs.Close(ctx), a.Engine.Close(ctx), a.release())
}

// release closes the parts below the engine, in the order of their use.
func (a *App) release() error {
	var errs []error
	if a.planner != nil {
		errs = append(errs, a.planner.Close())
	}
	if a.requests != nil {
		errs = append(errs, a.requests.Close())
	}
	hangUp(a.provider)
	if a.backends != nil {
		a.backends.close()
	}
	if a.fetch != nil {
		a.fetch.Close()
	}
	if a.MCP != nil {
		a.MCP.Close()
	}
	for _, d := range []*download.Downloads{a.downloads, a.received} {
		if d != nil {
			errs = append(errs, d.Close())
		}
	}
	if a.links != nil {
		errs = append(errs, a.links.Close())
	}
	if a.index != nil {
		a.index.Close()
	}
	if a.Store != nil {
		errs = append(errs, a.Store.Close())
	}
	if a.committer != nil {
		errs = append(errs, a.committer.Close())
	}
	a.traces.Close(context.Background())
	return errors.Join(errs...)
}

// settle completes or takes back what a process that died has left half done of a project's
// files.
func settle(ctx context.Context, a *App, root string) error {
	return a.registers.Changes.Settle(ctx, root)
}

func (a *App) appended(sessionID string, evs []event.Event) {
	a.appends.Add(1)
	if f := a.observe.Load(); f != nil {
		(*f)(sessionID, evs)
	}
}

// newTurnID returns ids that sort by time.
func newTurnID() string { return uuid.Must(uuid.NewV7()).String() }

func scratchDir(cfg *config.Config) string { return filepath.Join(cfg.Paths.CacheDir, "scratch") }

// gate is the environment gate of delegation in the form the contract compares.
func gate(enabled bool) string {
	if enabled {
		return "true"
	}
	return "false"
}
