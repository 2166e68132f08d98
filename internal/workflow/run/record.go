package run

import (
	"time"

	"belay/internal/attachment/gather"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// Status is how far a run or a task is.
type Status string

// The statuses. A run that is interrupted can be resumed, and so can one that
// failed or was cancelled: what is finished is not done again.
const (
	Running     Status = "running"
	Success     Status = "success"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Interrupted Status = "interrupted"
)

// Summary is a run in a list.
type Summary struct {
	ID       string `json:"id"`
	Workflow string `json:"workflow"`
	Version  string `json:"version,omitempty"`
	// File is where the workflow was read; the run goes by its own copy.
	File    string `json:"file"`
	Project string `json:"project"`
	Status  Status `json:"status"`
	// Live says that a process works on the run now.
	Live      bool       `json:"live"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	// PausedMs is how much of the time since StartedAt no process worked on the run.
	PausedMs int64 `json:"pausedMs,omitempty"`
	// Usage is that of all turns so far; nil where none was accounted for.
	Usage *event.Tokens `json:"usage,omitempty"`
	// Calls counts the calls of all turns so far that were not permitted.
	Calls *event.Calls `json:"calls,omitempty"`
	Error *Failure     `json:"error,omitempty"`
	// Snapshot is the published result, relative to the project.
	Snapshot string `json:"snapshot,omitempty"`
	// Waits are the tasks that wait for a person or a time.
	Waits []Waiting `json:"waits,omitempty"`
}

// Record is all of a run: the file run.json, and those of its tasks.
type Record struct {
	Summary
	// SHA256 is that of the workflow file, Folder where its paths begin.
	SHA256 string         `json:"sha256"`
	Folder string         `json:"folder"`
	Input  map[string]any `json:"input"`

	// Configured is the provider of the configuration with which the run began, or was last
	// taken up: it answers where neither Provider nor an agent names one.
	Configured string `json:"configured,omitempty"`

	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model,omitempty"`
	Mode     string   `json:"mode,omitempty"`
	Allow    []string `json:"allow,omitempty"`
	// SkipRefused is set where tasks do without attachments that cannot be used.
	SkipRefused bool `json:"skipRefused,omitempty"`

	// Sent is the request that began the run, where it had a key.
	Sent *Sent `json:"sent,omitempty"`

	// within is the folder that Folder must lie in; "" is any.
	within string

	// Corrections are the files with which the run went on, the last being the one that
	// it goes by.
	Corrections []Correction `json:"corrections,omitempty"`
	// Resumed are the times at which the run was taken up again.
	Resumed []time.Time `json:"resumed,omitempty"`
	// Pauses are the times in which no process worked on the run, in their order.
	Pauses []Pause `json:"pauses,omitempty"`
	// EndedBefore is when the run failed or was cancelled before it was taken up. What made
	// it fail is tried again, also if the process dies before it has begun with that.
	EndedBefore *time.Time `json:"endedBefore,omitempty"`
	// Outputs are the results of a run that succeeded.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Tasks are those that have begun, in the order of their beginning. They are
	// not part of run.json.
	Tasks []Task `json:"tasks,omitempty"`

	// Cut names the values that are left out here: see [Record.Part]. No file has it.
	Cut []string `json:"cut,omitempty"`
}

// Task is the record of one task: what went in, and what came out.
type Task struct {
	// Key names the task in the run: its id, after that of the task that holds it
	// and, in a collection, the number of the item: "each/3/summarize".
	Key  string          `json:"key"`
	ID   string          `json:"id"`
	Kind definition.Kind `json:"kind"`
	// Order is the task's place in the order of beginning.
	Order  int    `json:"order"`
	Status Status `json:"status"`
	// Index and Item are those of a collection.
	Index     *int       `json:"index,omitempty"`
	Item      any        `json:"item,omitempty"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	// PausedMs is how much of the time since StartedAt nobody worked on the task: from its
	// end, or that of the process, until it began again. It counts the pauses until ResumedAt,
	// when the task began again last; nil where it did not.
	PausedMs  int64      `json:"pausedMs,omitempty"`
	ResumedAt *time.Time `json:"resumedAt,omitempty"`

	Agent  string `json:"agent,omitempty"`
	Action string `json:"action,omitempty"`
	Model  string `json:"model,omitempty"`
	// Input is what templates saw as .input. The file has none for a task within
	// another one that has the same: a collection would write it once per item.
	Input  any    `json:"input,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	// Attachments say what became of each, in the order in which the model got
	// them.
	Attachments []gather.Report `json:"attachments,omitempty"`
	Attempts    []Attempt       `json:"attempts,omitempty"`
	// Definition and Given are hashes of what the file says of the task and of what it was
	// given. Again says why it was done again after the file was corrected.
	Definition string `json:"definition,omitempty"`
	Given      string `json:"given,omitempty"`
	Again      string `json:"again,omitempty"`
	// Of is how many tasks it holds, once that is known.
	Of int `json:"of,omitempty"`
	// Decided is the answer to a wait task.
	Decided *Answer `json:"decided,omitempty"`
	// Answer is the result before the task's outputs replaced it.
	Answer any `json:"answer,omitempty"`
	// Route is the task that a router chose.
	Route  string        `json:"route,omitempty"`
	Output any           `json:"output,omitempty"`
	Usage  *event.Tokens `json:"usage,omitempty"`
	Calls  *event.Calls  `json:"calls,omitempty"`
	Error  *Failure      `json:"error,omitempty"`

	// Cut names the fields that are shortened here, or left out: see [Task.Part]. No file has it.
	Cut []string `json:"cut,omitempty"`

	// inherits says that Input is that of the task that holds this one.
	inherits bool
	// earlier is what it had used before it was taken up: its budget begins anew then.
	earlier *event.Tokens
	// many says that the task is in a large collection.
	many bool
}

// Correction is a corrected workflow file with which a run went on. The run has its
// copy.
type Correction struct {
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"`
	At     time.Time `json:"at"`
}

// Attempt is one try of a task, in a session of its own.
type Attempt struct {
	Session   string     `json:"session"`
	Turns     []string   `json:"turns,omitempty"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	// Repaired is set where the first answer was not of the wanted form, and the
	// agent was asked once more.
	Repaired bool     `json:"repaired,omitempty"`
	Error    *Failure `json:"error,omitempty"`
}

// isOver reports whether no answer to one of the run's tasks counts any more. A run that
// could not be recorded goes on where it was.
func (s *Summary) isOver() bool {
	switch s.Status {
	case Success, Cancelled:
		return true
	case Failed:
		return s.Error == nil || s.Error.Type != fault.StorageFailure
	case Running, Interrupted:
	}
	return false
}

// left lowers the limits of a turn by what the earlier turns of its task used: they share
// one budget. BUDGET_EXCEEDED where nothing is left.
func (t *Task) left(o *turn.Opts) error {
	var used, before event.Tokens
	if t.Usage != nil {
		used = *t.Usage
	}
	if t.earlier != nil {
		before = *t.earlier
	}
	if o.MaxTokens != nil {
		left := *o.MaxTokens - (used.OutputTokens - before.OutputTokens)
		if left <= 0 {
			return fault.New(fault.BudgetExceeded, "the task %s has used its %d tokens (budget.max_tokens)", t.Key, *o.MaxTokens).WithHint(hintBudget)
		}
		o.MaxTokens = &left
	}
	if o.MaxCostUSD != nil && used.CostUSD != nil {
		left := *o.MaxCostUSD - *used.CostUSD
		if before.CostUSD != nil {
			left += *before.CostUSD
		}
		if left <= 0 {
			return fault.New(fault.BudgetExceeded, "the task %s has used its $%g (budget.max_cost)", t.Key, *o.MaxCostUSD).WithHint(hintBudget)
		}
		o.MaxCostUSD = &left
	}
	return nil
}

// hintBudget is the next step after a budget is used up.
const hintBudget = "raise the budget of the task or its agent"

// ended reports whether nothing more happens to the task.
func (t *Task) ended() bool { return t.Status == Success || t.Status == Failed }

// endedBefore reports whether the task ended before another one; what has not ended comes
// last, and nil is before everything.
func (t *Task) endedBefore(other *Task) bool {
	if other == nil || t.EndedAt == nil {
		return false
	}
	return other.EndedAt == nil || t.EndedAt.Before(*other.EndedAt)
}

// failedUntil reports whether the task had failed at a time, nil for none.
func (t *Task) failedUntil(end *time.Time) bool {
	return end != nil && t.Status == Failed && t.EndedAt != nil && !t.EndedAt.After(*end)
}
