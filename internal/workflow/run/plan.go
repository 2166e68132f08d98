package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"belay/internal/workflow/definition"
)

// Plan is everything that a run would do, as far as that is known before it.
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
	// Tokens estimates the input of all tasks that are known to be done, once each.
	Tokens int64 `json:"estimatedTokens"`
}

// PlannedTask is a task as it would be done.
type PlannedTask struct {
	ID     string          `json:"id"`
	Kind   definition.Kind `json:"kind"`
	Agent  string          `json:"agent,omitempty"`
	Action string          `json:"action,omitempty"`
	Model  string          `json:"model,omitempty"`
	// Instructions and Prompt are what the agent is told; where they look at tasks
	// that are not done yet, as they are written, and WaitsFor names those tasks.
	Instructions string   `json:"instructions,omitempty"`
	Prompt       string   `json:"prompt,omitempty"`
	WaitsFor     []string `json:"waitsFor,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	// Asks are the rules of permission that the file would allow: calls that they
	// cover ask all the same, unless the person who starts the run allows them.
	Asks        []string            `json:"asks,omitempty"`
	Deny        []string            `json:"deny,omitempty"`
	Attachments []PlannedAttachment `json:"attachments,omitempty"`
	// Tokens estimates what the model would be sent.
	Tokens int64 `json:"estimatedTokens,omitempty"`
	// Next are the tasks that may follow.
	Next []string `json:"next,omitempty"`
	// Tasks are those within, Items how many items a collection has, where that is
	// known.
	Tasks []PlannedTask `json:"tasks,omitempty"`
	Items *int          `json:"items,omitempty"`
	// Problems are why the task would fail, as far as it is known now.
	Problems []string `json:"problems,omitempty"`
}

// PlannedAttachment is one attachment as it would be opened or fetched.
type PlannedAttachment struct {
	Type string `json:"type,omitempty"`
	Name string `json:"name,omitempty"`
	From string `json:"from,omitempty"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url,omitempty"`
	// Bytes is the size of a file.
	Bytes int64 `json:"bytes,omitempty"`
	// Waits is what is evaluated when the task begins, as its author wrote it.
	Waits    string   `json:"waits,omitempty"`
	WaitsFor []string `json:"waitsFor,omitempty"`
}

// Plan says what a run would do: every attachment that can be found now, every
// prompt that can be written. Nothing is fetched, recorded or asked of a model.
func (r *Runner) Plan(ctx context.Context, req Request) (*Plan, error) {
	w, err := r.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(w.data)
	return &Plan{
		Workflow: w.ID, Version: w.Version, File: req.File, SHA256: hex.EncodeToString(sum[:]),
		Project: req.Project, Input: w.input, Snapshot: w.Snapshot.Root,
	}, nil
}
