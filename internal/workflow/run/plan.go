package run

import (
	"context"
	"path/filepath"
	"slices"

	"belay/internal/workflow/definition"
)

// Plan is everything that a run would do, if it is known before it.
type Plan struct {
	Workflow string         `json:"workflow"`
	Version  string         `json:"version,omitempty"`
	File     string         `json:"file"`
	SHA256   string         `json:"sha256"`
	Project  string         `json:"project"`
	Folder   string         `json:"folder"`
	Input    map[string]any `json:"input"`
	Snapshot string         `json:"snapshot,omitempty"`
	// Tasks are in the file's order; a run begins with the first.
	Tasks []PlannedTask `json:"tasks"`
	// Tokens estimates the input of the tasks, each done once, where it is
	// known.
	Tokens int64 `json:"estimatedTokens"`
}

// PlannedTask is a task as it would be done.
type PlannedTask struct {
	Key    string          `json:"key"`
	ID     string          `json:"id"`
	Kind   definition.Kind `json:"kind"`
	Agent  string          `json:"agent,omitempty"`
	Action string          `json:"action,omitempty"`
	Model  string          `json:"model,omitempty"`
	// Provider is the one that the agent names; it gets what the agent is shown.
	Provider string `json:"provider,omitempty"`
	// Tool is what a tool task calls; its Input is the tool's.
	Tool string `json:"tool,omitempty"`
	// Input is what templates see as .input, where that is known.
	Input any `json:"input,omitempty"`
	// Instructions and Prompt are those of the agent. Where something of the
	// task is not known before others are done, it is as written, and WaitsFor names
	// those others.
	Instructions string   `json:"instructions,omitempty"`
	Prompt       string   `json:"prompt,omitempty"`
	WaitsFor     []string `json:"waitsFor,omitempty"`
	// Tools are those that the file gives the agent; nil for a task without one.
	Tools *[]string `json:"tools,omitempty"`
	// Asks are the rules of permission that the file would allow: calls that they
	// cover ask all the same, unless the person who starts the run allows them. Of a tool
	// task it is the tool, where its call certainly asks.
	Asks        []string            `json:"asks,omitempty"`
	Deny        []string            `json:"deny,omitempty"`
	Attachments []PlannedAttachment `json:"attachments,omitempty"`
	// Tokens estimates what the model would be sent, Items those of a collection
	// included.
	Tokens int64 `json:"estimatedTokens,omitempty"`
	// Unreached says that no task leads to it, so that it is never done.
	Unreached bool `json:"unreached,omitempty"`
	// Next are the tasks that may follow.
	Next []string `json:"next,omitempty"`
	// Items is how many items a collection has, where that is known; Tasks are the
	// tasks within, those of the first items of a collection.
	Items *int          `json:"items,omitempty"`
	Tasks []PlannedTask `json:"tasks,omitempty"`
	// Problems are why the task would fail, by what is known now.
	Problems []string `json:"problems,omitempty"`
	// Route is the task that a router would choose, where that is known.
	Route string `json:"route,omitempty"`

	// found are the problems with their places, those of tasks within included.
	found []problem
}

// PlannedAttachment is one attachment as it would be opened or fetched.
type PlannedAttachment struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
	From string `json:"from,omitempty"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url,omitempty"`
	// Base is "project" where Path begins there.
	Base string `json:"base,omitempty"`
	// MIME, Bytes, Used and Tokens are known of files: Used says how the model
	// would get it. Note is what there is to say about it.
	MIME   string `json:"mimeType,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Used   string `json:"used,omitempty"`
	Tokens int64  `json:"estimatedTokens,omitempty"`
	Note   string `json:"note,omitempty"`
	// Meta are its author's own values.
	Meta map[string]any `json:"meta,omitempty"`
	// Waits is what is evaluated when the task begins, as its author wrote it.
	Waits    string   `json:"waits,omitempty"`
	WaitsFor []string `json:"waitsFor,omitempty"`
	// Refused says why it could not be used. The task fails where it is not
	// Optional.
	Refused  string `json:"refused,omitempty"`
	Optional bool   `json:"optional,omitempty"`
}

// plannedItems is how many items of a collection are planned one by one.
const plannedItems = 20

// plannedTasks is how many tasks within others a plan shows, and plannedText how many bytes
// of their texts. Of collections beyond that it shows one item each.
const (
	plannedTasks = 1000
	plannedText  = 8 << 20
)

// Plan says what a run would do: every attachment that can be found now, every
// prompt that can be written. Nothing is fetched, recorded or asked of a model.
func (r *Runner) Plan(ctx context.Context, req Request) (*Plan, error) {
	w, at, err := r.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = at.Close() }() // it was only read
	plan := &Plan{
		Workflow: w.ID, Version: w.Version, File: req.File, SHA256: w.sum(),
		Project: req.Project, Folder: filepath.Dir(req.File), Input: w.input, Snapshot: w.Snapshot.Root,
	}
	p := &planner{x: r.unbegun(w, at, req)}
	s, unreached := p.x.start(), w.Unreached()
	for _, t := range w.Tasks {
		planned, err := p.task(ctx, t, place{key: t.ID}, s, p.handedBy(t))
		if err != nil {
			return nil, err
		}
		if planned.Unreached = slices.Contains(unreached, t); !planned.Unreached {
			plan.Tokens += planned.Tokens
		}
		plan.Tasks = append(plan.Tasks, planned)
	}
	return plan, nil
}
