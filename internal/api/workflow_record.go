package api

import (
	"belay/internal/fault"
	"belay/internal/workflow/run"
)

type recordAnswer struct {
	Run run.Record `json:"run"`
}

type taskAnswer struct {
	Task run.Task `json:"task"`
}

type valuesAnswer struct {
	Input   map[string]any `json:"input"`
	Outputs map[string]any `json:"outputs,omitempty"`
}

// Whoever follows a run asks for it again and again. It has shownBytes of each text of a task
// then, and its own input and outputs where these have at most shownValues each.
const (
	shownBytes  = 8 << 10
	shownValues = 256 << 10
)

func getRun(c *call) (recordAnswer, error) {
	root, _, err := runOf(c)
	if err != nil {
		return recordAnswer{}, err
	}
	record, err := c.o.Workflows.Runs.Show(c.ctx(), root, c.id())
	record.Part(shownBytes, shownValues)
	return recordAnswer{record}, err
}

func getRunValues(c *call) (valuesAnswer, error) {
	root, _, err := runOf(c)
	if err != nil {
		return valuesAnswer{}, err
	}
	record, err := c.o.Workflows.Runs.Show(c.ctx(), root, c.id())
	return valuesAnswer{record.Input, record.Outputs}, err
}

func getRunTask(c *call) (taskAnswer, error) {
	root, q, err := runOf(c)
	if err != nil {
		return taskAnswer{}, err
	}
	if q["key"] == "" {
		return taskAnswer{}, fault.Invalid([]fault.Problem{{Field: "key", Message: "is required"}})
	}
	t, err := c.o.Workflows.Runs.Task(c.ctx(), root, c.id(), q["key"])
	return taskAnswer{t}, err
}
