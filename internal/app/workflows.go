package app

import (
	"time"

	"belay/internal/api"
	"belay/internal/config"
	flows "belay/internal/workflow/catalog"
	"belay/internal/workflow/run"
)

// runOptions are those of the runner of workflows, whose agents can be given these
// tools.
func (a *App) runOptions(tools []string) run.Options {
	return run.Options{
		Engine:   a.Engine,
		Ready:    a.ready,
		Blobs:    func(project string) (run.Blobs, error) { return a.Store.Blobs(project) },
		Gather:   a.gatherer,
		Inspect:  a.Engine.InspectItems,
		Takes:    a.Engine.Takes,
		StateDir: a.Config.Paths.StateDir, Private: PrivateFolders(a.Config), Tools: tools,
		Provider: a.Config.Provider, Others: a.Config.Workflow.Providers, Providers: config.Providers(),
		Snapshot: snapshotOptions(a.Config, a.announcer()), Limits: runLimits(a.Config),
		Logger: a.log, Clock: time.Now, NewID: newTurnID,
	}
}

// workflows are how the server's callers get at workflow files and their runs.
func (a *App) workflows() api.Workflows {
	limits := flows.Default
	limits.FileBytes = a.Config.Workflow.FileBytes
	return api.Workflows{Runs: a.Runs, Limits: limits}
}

func runLimits(cfg *config.Config) run.Limits {
	w := cfg.Workflow
	return run.Limits{
		FileBytes: w.FileBytes, Steps: w.Steps, Parallel: w.Parallel, Items: w.MaxItems, Tasks: w.MaxTasks,
		Attachments: cfg.Attachments.MaxItems, Matches: matchLimit(cfg), RetryDelay: w.RetryDelay,
	}
}

// runRetention is how long ended runs are kept.
func runRetention(cfg *config.Config) time.Duration { return cfg.Workflow.Retention }
