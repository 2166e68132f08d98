package config

import "time"

// Workflow bounds what workflow files are run with.
type Workflow struct {
	FileBytes  int64
	Steps      int
	Parallel   int
	MaxItems   int
	MaxTasks   int
	Providers  []string
	RetryDelay time.Duration
	Retention  time.Duration
}

// workflows are the settings of runs of workflow files.
func workflows(c *Config) []*key {
	w := &c.Workflow
	return []*key{
		{name: "workflow.file_bytes", value: size(&w.FileBytes, kib, 64*mib), def: "1MiB",
			doc: "Largest workflow file."},
		{name: "workflow.steps", value: count(&w.Steps, 1, 1_000_000), def: "1000",
			doc: "Tasks that a run may do one after the other; a run that needs more does not end."},
		{name: "workflow.parallel", value: count(&w.Parallel, 1, 1000), def: "4",
			doc: "Tasks at work at once, of all runs of a process; others wait."},
		{name: "workflow.max_items", value: count(&w.MaxItems, 1, 1_000_000), def: "1000",
			doc: "Items of one collection task."},
		{name: "workflow.max_tasks", value: count(&w.MaxTasks, 1, 1_000_000), def: "10000",
			doc: "Tasks of one run, those within collections counted one by one."},
		{name: "workflow.providers", value: list{&w.Providers, providerName},
			doc: "Providers beside the configured one that agents of workflow files may name. Those that are named get what the agent is shown."},
		{name: "workflow.retry_delay", value: duration(&w.RetryDelay, 0, time.Hour), def: "1s",
			doc: "Wait before the first retry of a task; each further one waits twice as long."},
		{name: "workflow.retention", value: duration(&w.Retention, 0, 3650*day), def: "90d",
			doc: "Age at which the record of a run that ended is removed (0: never). Snapshots stay, and so do the sessions of its tasks."},
	}
}
