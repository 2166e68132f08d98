// Package definition is workflow files as their authors write them: agents with
// actions, tasks that chain them, templates between the tasks. It reads a file
// strictly and as a whole ([Parse]): every problem is reported with its place, before
// anything runs.
//
// It knows what a file says and whether that makes sense, not how it is run.
//
// Specification: attachments, sections 2 and 4; the fields of tasks follow the
// format's own documentation.
package definition

import (
	"time"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
	"belay/internal/template"
)

// Workflow is a file. It does not change once it was read.
type Workflow struct {
	ID, Version, Description string
	// Input is the schema of what a run is given, nil for anything.
	Input *Schema
	// Env are values that the author gives, seen by templates as .env; the
	// process's environment never is.
	Env *template.Tree
	// Project is set where paths of attachments begin at the project, if their entry does
	// not say where.
	Project bool
	// Agents and Tasks are in the file's order; a run begins with the first task.
	Agents []*Agent
	Tasks  []*Task
	// Outputs are the results of a run, evaluated at its end; nil means those of
	// the tasks that ran.
	Outputs *template.Tree
	// Snapshot is where a finished run is published.
	Snapshot Snapshot
	// Used are the contents of the files that the workflow uses, by their names.
	Used map[string][]byte

	agents map[string]*Agent
	tasks  map[string]*Task
}

// Snapshot is a folder for results in the project, a tool root; an empty Root
// means that nothing is published.
type Snapshot struct {
	Root, Label string
	// At is the root's place in the file.
	At *authored.Node
}

// Agent is who works on a task.
type Agent struct {
	ID           string
	Model        string
	Provider     string
	Instructions *template.Template
	Actions      []*Action
	With         *template.Tree
	Attachments  []declared.Entry
	Rights       Rights

	// At is the agent's place in the file, Path its name there.
	At   *authored.Node
	Path string

	actions map[string]*Action
}

// Action is something that an agent can be asked to do.
type Action struct {
	ID     string
	Prompt *template.Template
	// Input is the schema of with, Output that of the answer, which then is JSON;
	// both may be nil.
	Input, Output *Schema
	With          *template.Tree
	Attachments   []declared.Entry

	// At is the action's place in the file, Path its name there.
	At   *authored.Node
	Path string
}

// Rights is what an agent may use for a task, and how much of it. A task's own
// stand before those of its agent.
type Rights struct {
	// Tools are the tools that it has, where Given is set: an empty list is none.
	// Otherwise a task has those of its agent, and an agent has none.
	Tools []string
	Given bool
	// Allow and Deny are rules of permission.
	Allow, Deny []string
	Budget      Budget
}

// Budget is what a task may take; 0 is no limit of its own.
type Budget struct {
	Turns  int
	Tokens int64
	// Cost is in US dollars.
	Cost float64
	Time time.Duration
}

// Kind is what a task does.
type Kind string

// The kinds of tasks.
const (
	// Basic asks an agent once.
	Basic Kind = "basic"
	// Router chooses which task is next.
	Router Kind = "router"
	// Parallel runs its tasks at the same time.
	Parallel Kind = "parallel"
	// Collection runs one task for each item of a list.
	Collection Kind = "collection"
	// Composite runs its tasks one after the other; each sees those before it.
	Composite Kind = "composite"
	// Tool calls a tool without a model.
	Tool Kind = "tool"
	// Wait waits for a person, or until a time has passed.
	Wait Kind = "wait"
	// Repeat runs one task again and again, until a condition holds.
	Repeat Kind = "repeat"
)

// The values of on_time: what becomes of a wait task whose time has passed.
const (
	TimeContinues = "continue"
	TimeRefuses   = "refuse"
)

// Strategy says when a parallel task or a collection has succeeded.
type Strategy string

// The strategies.
const (
	// WaitAll waits for all and fails where one has failed.
	WaitAll Strategy = "wait_all"
	// FailFast stops the others when one has failed.
	FailFast Strategy = "fail_fast"
	// BestEffort succeeds whatever happens to single ones.
	BestEffort Strategy = "best_effort"
	// Race is done when the first has succeeded.
	Race Strategy = "race"
)

// Task is a step of a workflow.
type Task struct {
	ID   string
	Kind Kind
	// Agent does the task; Action is what it is asked for, nil where Prompt alone
	// says it. Of a basic task.
	Agent  *Agent
	Action *Action
	Prompt *template.Template
	// Model and Provider are who answers, where that is not the agent's.
	Model, Provider string
	// Output is the schema of the answer where the action has none.
	Output      *Schema
	With        *template.Tree
	Outputs     *template.Tree
	Attachments []declared.Entry
	Rights      Rights
	Timeout     time.Duration
	Retries     int

	OnSuccess, OnError Next
	// Final ends the workflow: nothing follows.
	Final bool

	// Condition chooses among Routes by its result; Default is taken where no
	// route fits. Of a router.
	Condition *Condition
	Routes    []Route
	Default   string

	// Tool is the tool that is called, with With as its input. Of a tool task.
	Tool string
	// Message is what a person is asked. The task waits no longer than For, where that is
	// set; OnTime says what its end then is. Of a wait task.
	Message *template.Template
	For     time.Duration
	OnTime  string
	// Each is run at most Max times, until Until holds. Of a repeat task.
	Max   int
	Until *Condition

	// Tasks run at the same time, of a parallel task, or one after the other, of a
	// composite one; Each is run for each of Items, at most Batch at once, of a
	// collection.
	Tasks    []*Task
	Items    *template.Tree
	Each     *Task
	Batch    int
	Strategy Strategy

	// At is the task's place in the file, Path its name there.
	At   *authored.Node
	Path string
}

// Next is the task that follows, and what it is given; an empty Task is none.
type Next struct {
	Task string
	With *template.Tree
}

// Route is a way that a router may take.
type Route struct {
	Value, Task string
	at          *authored.Node
}
