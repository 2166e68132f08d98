package run

import (
	"encoding/json"
	"time"

	"belay/internal/event"
	"belay/internal/workflow/definition"
)

// EventType is what happened in a run.
type EventType string

// The events of a run. What happens in a task's turns is in their sessions' logs.
const (
	RunStart  EventType = "run:start"
	RunResume EventType = "run:resume"
	// TaskStart begins a task, TaskAttempt a try of it in a session; TaskRetry
	// reports a try that failed and is followed by another.
	TaskStart    EventType = "task:start"
	TaskAttempt  EventType = "task:attempt"
	TaskQuestion EventType = "task:question"
	TaskAnswer   EventType = "task:answer"
	// TaskWait reports a wait task that waits.
	TaskWait  EventType = "task:wait"
	TaskRetry EventType = "task:retry"
	TaskEnd   EventType = "task:end"
	RunEnd    EventType = "run:end"
)

// Event is one line of a run's events.jsonl.
type Event struct {
	// Seq grows by one, from 1. Where a power cut may have taken the end of the log,
	// it goes on after every sequence that was given.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type EventType `json:"type"`
	// Task is the key of the task that it is about, "" for the run.
	Task string `json:"task,omitempty"`
	// Data is one of the structs of this file, as the type says.
	Data json.RawMessage `json:"data"`
}

// Begun is the payload of [RunStart] and [RunResume].
type Begun struct {
	ID       string `json:"id"`
	Workflow string `json:"workflow"`
	// Tasks counts those of the file, Done those that a resumed run does not
	// repeat.
	Tasks int `json:"tasks"`
	Done  int `json:"done,omitempty"`
	// Kept says, of a run that goes on with a corrected file, what becomes of each
	// finished task.
	Kept []Kept `json:"kept,omitempty"`
}

// Kept says whether a finished task is kept, where the file was corrected.
type Kept struct {
	Task string `json:"task"`
	// Again says why it is done again, "" where it is kept.
	Again string `json:"again,omitempty"`
	// Of are the finished tasks within it, Repeated those of them that are done again.
	Of       int `json:"of,omitempty"`
	Repeated int `json:"repeated,omitempty"`
	// Unfinished says that the task was stopped in its middle, and goes on.
	Unfinished bool `json:"unfinished,omitempty"`
}

// TaskBegun is the payload of [TaskStart].
type TaskBegun struct {
	ID     string          `json:"id"`
	Kind   definition.Kind `json:"kind"`
	Agent  string          `json:"agent,omitempty"`
	Action string          `json:"action,omitempty"`
	Model  string          `json:"model,omitempty"`
	Index  *int            `json:"index,omitempty"`
	// Of is how many items a collection has, or tasks run at the same time.
	Of int `json:"of,omitempty"`
}

// Tried is the payload of [TaskAttempt].
type Tried struct {
	N       int    `json:"n"`
	Session string `json:"session"`
	Turn    string `json:"turn"`
	// Attachments counts what the model is shown. Repair is set where the answer
	// before was not of the wanted form.
	Attachments int  `json:"attachments,omitempty"`
	Repair      bool `json:"repair,omitempty"`
}

// Asked is the payload of [TaskQuestion]: a tool call waits for a person, who
// answers with belay decision. [TaskAnswer] has the verdict.
type Asked struct {
	Session    string `json:"session"`
	DecisionID string `json:"decisionId"`
	Tool       string `json:"tool,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	By         string `json:"by,omitempty"`
}

// Waits is the payload of [TaskWait].
type Waits struct {
	// DecisionID names the question among all that wait for a person, "" where nobody is
	// asked.
	DecisionID string `json:"decisionId,omitempty"`
	// Message is what a person is asked, "" where the task waits for a time alone.
	Message string     `json:"message,omitempty"`
	Until   *time.Time `json:"until,omitempty"`
}

// Again is the payload of [TaskRetry].
type Again struct {
	Error *Failure      `json:"error"`
	After time.Duration `json:"afterNs"`
}

// TaskEnded is the payload of [TaskEnd].
type TaskEnded struct {
	Status Status   `json:"status"`
	Route  string   `json:"route,omitempty"`
	Error  *Failure `json:"error,omitempty"`
	// CostUSD and Tokens are those of the task's turns.
	Tokens  int64    `json:"tokens,omitempty"`
	CostUSD *float64 `json:"costUsd,omitempty"`
	// Attachments counts those that were refused and left out.
	Refused int `json:"refused,omitempty"`
	// Calls counts the calls of the task's turns that were not permitted.
	Calls *event.Calls `json:"calls,omitempty"`
}

// Ended is the payload of [RunEnd].
type Ended struct {
	Status   Status   `json:"status"`
	Error    *Failure `json:"error,omitempty"`
	Snapshot string   `json:"snapshot,omitempty"`
}

// Events describes the events of runs, in the order in which they come.
func Events() []event.Spec {
	spec := func(t EventType, when string, sample any) event.Spec {
		return event.Spec{Type: event.Type(t), When: when, Sample: sample}
	}
	return []event.Spec{
		spec(RunStart, "A run begins; always first.", Begun{}),
		spec(RunResume, "A run was taken up again; what is finished is not done again.", Begun{}),
		spec(TaskStart, "A task begins.", TaskBegun{}),
		spec(TaskAttempt, "A task's agent is asked, in a session whose events have the rest.", Tried{}),
		spec(TaskQuestion, "A call of a task's agent waits for a person's decision.", Asked{}),
		spec(TaskAnswer, "The decision was made.", Asked{}),
		spec(TaskWait, "A wait task waits for a person, or for a time to pass.", Waits{}),
		spec(TaskRetry, "A task's agent failed and will be asked again.", Again{}),
		spec(TaskEnd, "A task ended.", TaskEnded{}),
		spec(RunEnd, "The run ended; always last, unless its process died or it is taken up again.", Ended{}),
	}
}
