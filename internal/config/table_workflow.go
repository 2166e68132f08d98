package config

import "time"

// Workflow bounds what workflow files are run with.
type Workflow struct {
	Steps     int
	Parallel  int
	MaxItems  int
	MaxTasks  int
	Providers []string
	Retention time.Duration
}

// workflows are the settings of runs of workflow files.
func workflows(c *Config) []*key {
	w := &c.Workflow
	return []*key{
		{name: "workflow.steps", value: count(&w.Steps, 1, 1_000_000), def: "1000",
			doc: "Tasks that a run may do one after the other; a run that needs more does not end.",
			why: "A long workflow is meant to loop, or a loop must end early."},
		{name: "workflow.parallel", value: count(&w.Parallel, 1, 1000), def: "4",
			doc: "Tasks at work at once, of all runs of a process; others wait.",
			why: "The provider limits requests, or allows many."},
		{name: "workflow.max_items", value: count(&w.MaxItems, 1, 1_000_000), def: "1000",
			doc: "Items of one collection task.",
			why: "A collection is larger, or a mistake must not cost much."},
		{name: "workflow.max_tasks", value: count(&w.MaxTasks, 1, 1_000_000), def: "10000",
			doc: "Tasks of one run, those within collections counted one by one.",
			why: "A run is larger, or a mistake must not cost much."},
		{name: "workflow.providers", value: list{&w.Providers, providerName},
			doc: "Providers beside the configured one that agents of workflow files may name. Those that are named get what the agent is shown.",
			why: "One workflow uses several providers."},
		{name: "workflow.retention", value: duration(&w.Retention, 0, 3650*day), def: "90d",
			doc: "Age at which the record of a run that ended is removed (0: never). Snapshots stay, and so do the sessions of its tasks.",
			why: "Records of runs must be kept for longer, or shorter."},
	}
}
