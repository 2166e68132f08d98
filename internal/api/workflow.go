package api

import (
	"cmp"
	"context"

	"belay/internal/fault"
	"belay/internal/workflow/catalog"
	"belay/internal/workflow/run"
)

// Workflows is how requests get at workflow files and their runs.
type Workflows struct {
	// Runs carries workflows out. Without one the endpoints about runs are
	// NOT_FOUND.
	Runs Runs
	// Limits bound the search for workflow files.
	Limits catalog.Limits
}

// Runs carries out workflows; [run.Runner] does.
type Runs interface {
	Plan(ctx context.Context, r run.Request) (*run.Plan, error)
	Start(ctx context.Context, r run.Request) (run.Summary, error)
	Resume(ctx context.Context, project, id, onQuestion string) (run.Summary, error)
	// Correct resumes a run with a corrected file; PlanCorrect says what it would keep.
	Correct(ctx context.Context, c run.Corrected) (run.Summary, error)
	PlanCorrect(ctx context.Context, c run.Corrected) ([]run.Kept, error)
	// Questions are the wait tasks that ask a person; Answer answers a wait task.
	// Closed is the wait task of a decision that was made before.
	Questions(ctx context.Context) ([]run.Waiting, error)
	Closed(ctx context.Context, decisionID string) (w run.Waiting, found bool, err error)
	Answer(ctx context.Context, a run.AnswerRequest) (run.Waiting, error)
	Cancel(ctx context.Context, project, id string) error
	List(ctx context.Context, project string, most int) (shown []run.Summary, more int, err error)
	Show(ctx context.Context, project, id string) (run.Record, error)
	// Task is one task of a run, whole.
	Task(ctx context.Context, project, id, key string) (run.Task, error)
	// Allowed are the rules that a run goes on with when it is taken up again.
	Allowed(ctx context.Context, project, id string) ([]string, error)
	Follow(ctx context.Context, project, id string, after int64) (run.Stream, error)
}

var _ Runs = (*run.Runner)(nil)

type workflowsAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	catalog.Listing
}

type runsAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	// Runs are the newest first; More counts the older ones that are left out.
	Runs []run.Summary `json:"runs"`
	More int           `json:"more,omitempty"`
}

type summaryAnswer struct {
	Run run.Summary `json:"run"`
}

// startAnswer has the run that was started, or the plan of a dry run: Kept is that of a
// resumed run with a corrected file.
type startAnswer struct {
	Run  *run.Summary `json:"run,omitempty"`
	Plan *run.Plan    `json:"plan,omitempty"`
	Kept []run.Kept   `json:"kept,omitempty"`
}

type answerBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	Task        string `json:"task,omitempty" doc:"the key of the wait task; it may be left out where one alone waits"`
	DecisionID  string `json:"decisionId,omitempty" doc:"the decisionId of the question that is answered; if the task asks something else by now, the answer is refused"`
	Answer      string `json:"answer" is:"continue|refuse" doc:"continue or refuse"`
	Note        string `json:"note,omitempty" doc:"what to say with it, at most 2000 characters"`
	By          string `json:"by,omitempty" doc:"who answers; operator without it"`
}

type startBody struct {
	ProjectRoot string         `json:"projectRoot" doc:"absolute path of the project folder"`
	Path        string         `json:"path,omitempty" doc:"the workflow file, in the project: absolute, or relative to the project"`
	Resume      string         `json:"resume,omitempty" doc:"the id of a run that is to be taken up again; what is finished is not done again. With path, it goes on with that file, corrected: finished tasks are kept where neither their definition nor their input changed"`
	Input       map[string]any `json:"input,omitempty" doc:"what the workflow is given"`
	Model       string         `json:"model,omitempty" doc:"the model of all agents, whatever the file says"`
	Mode        string         `json:"mode,omitempty" is:"direct|dontAsk|acceptEdits|plan" doc:"permission mode of the turns: direct (without it), dontAsk, acceptEdits or plan"`
	Allow       []string       `json:"allow,omitempty" doc:"rules of calls that need no question; needs the operator's authority, as does taking up a run that was given some"`
	OnQuestion  string         `json:"onQuestion,omitempty" is:"wait|refuse" doc:"what becomes of calls that a person must allow: wait, or refuse; without it they wait at most permit.unattended_timeout"`
	DryRun      bool           `json:"dryRun,omitempty" doc:"only say what the run would do"`
}

// The number of runs in a list: what it has where the caller does not say, and at most.
const (
	usualRuns = 200
	maxRuns   = 1000
)

// workflowRoutes are the endpoints about workflow files and their runs.
func workflowRoutes() []route {
	id := param{in: "path", name: "id", required: true, doc: "the run's id"}
	found := errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.InvalidProjectRoot, fault.NotFound})
	oneRun := errorsOf(found, []fault.Type{fault.RunNotFound, fault.StorageFailure})
	return []route{
		{method: get, path: "/api/workflow/list", name: "listWorkflows", summary: "The workflow files of a project, with what is wrong with each.",
			params: []param{projectRoot}, action: answers(listWorkflows), errors: found},
		{method: post, path: "/api/workflow/check", name: "checkWorkflow", summary: "Check a workflow file, or the text of one, as belay workflow check does: every problem with its place and the next step. Nothing runs.",
			action: takes(checkWorkflow), errors: errorsOf(found, []fault.Type{fault.RequestTooLarge, fault.WorkspaceFileReadFailed})},
		{method: post, path: "/api/workflow/run", name: "startRun", summary: "Start a workflow, take up a run again, or say what a run would do.",
			params: []param{{in: "header", name: "Idempotency-Key", doc: "1 to 200 visible ASCII characters; the same key, body and workflow file start once. Not allowed with resume"}},
			action: takes(startRun),
			errors: errorsOf(oneRun, []fault.Type{fault.InvalidWorkflow, fault.IdempotencyConflict, fault.AttachmentFailure, fault.RunInProgress, fault.MissingAPIKey, fault.Overloaded})},
		{method: get, path: "/api/workflow/runs", name: "listRuns", summary: "The runs of a project, the newest first.",
			params: []param{projectRoot, {in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 1000; 200 without it"}},
			action: answers(listRuns), errors: errorsOf(found, []fault.Type{fault.StorageFailure})},
		{method: get, path: "/api/workflow/runs/{id}", name: "getRun", summary: "One run with its tasks: what went in, and what came out. Fields of tasks that are longer than 8 KiB are shortened or left out, and so are the run's input and outputs where they are longer than 256 KiB: cut names them.",
			params: []param{id, projectRoot}, action: answers(getRun), errors: oneRun},
		{method: get, path: "/api/workflow/runs/{id}/values", name: "getRunValues", summary: "What a run was given, and what came out of it, whole.",
			params: []param{id, projectRoot}, action: answers(getRunValues), errors: oneRun},
		{method: get, path: "/api/workflow/runs/{id}/task", name: "getRunTask", summary: "One task of a run, whole.",
			params: []param{id, projectRoot, {in: "query", name: "key", required: true, doc: "the task's key, such as read or each/3/summarize"}}, action: answers(getRunTask), errors: oneRun},
		{method: get, path: "/api/workflow/runs/{id}/events", name: "streamRun", summary: "A run's events as Server-Sent Events, to the run's end.",
			params: []param{id, projectRoot,
				{in: "query", name: "after", integer: true, doc: "the sequence to go on after; 0, the default, is the beginning"},
				{in: "header", name: "Last-Event-ID", integer: true, doc: "as after, and wins over it"}},
			media: eventStream, action: action{serve: serveRunEvents}, errors: errorsOf(oneRun, []fault.Type{fault.Overloaded})},
		{method: post, path: "/api/workflow/runs/{id}/answer", name: "answerRun", summary: "Let a run go on that waits for a person, or refuse. The first answer counts.", access: operator,
			params: []param{id}, action: takes(answerRun),
			errors: errorsOf(oneRun, []fault.Type{fault.DecisionClosed, fault.Overloaded})},
		{method: post, path: "/api/workflow/runs/{id}/cancel", name: "cancelRun", summary: "Stop a run, whichever process of this machine works on it.",
			params: []param{id}, action: takes(cancelRun),
			errors: errorsOf(oneRun, []fault.Type{fault.RunNotRunning, fault.RunInProgress})},
	}
}

// errNoRuns is the answer of a handler that was given nothing to run workflows
// with.
var errNoRuns = notServed("runs no workflows")

func listWorkflows(c *call) (a workflowsAnswer, err error) {
	root, _, err := runOf(c)
	if err != nil {
		return a, err
	}
	found, err := catalog.Find(c.ctx(), root, c.o.Workflows.Limits, c.hides(root))
	return workflowsAnswer{root, found}, err
}

// runOf reads a request about the runs of a project.
func runOf(c *call) (root string, q map[string]string, err error) {
	root, q, err = c.projectOf()
	if err == nil && c.o.Workflows.Runs == nil {
		err = errNoRuns
	}
	return root, q, err
}

// runsOf is the gate of a project whose runs a request names.
func runsOf(c *call, projectRoot string) (string, error) {
	root, err := settledProject(c, projectRoot)
	if err == nil && c.o.Workflows.Runs == nil {
		err = errNoRuns
	}
	return root, err
}

// summaryOf is a run as it is now.
func summaryOf(c *call, root string) (summaryAnswer, error) {
	record, err := c.o.Workflows.Runs.Show(c.ctx(), root, c.id())
	return summaryAnswer{record.Summary}, err
}

func listRuns(c *call) (a runsAnswer, err error) {
	root, q, err := runOf(c)
	if err != nil {
		return a, err
	}
	p := params{q: q}
	limit := p.limit(usualRuns, maxRuns)
	if err := p.err(); err != nil {
		return a, err
	}
	shown, more, err := c.o.Workflows.Runs.List(c.ctx(), root, limit)
	return runsAnswer{root, orEmpty(shown), more}, err
}

func answerRun(c *call, b *answerBody) (summaryAnswer, error) {
	root, err := runsOf(c, b.ProjectRoot)
	if err != nil {
		return summaryAnswer{}, err
	}
	a := run.AnswerRequest{Project: root, ID: c.id(), Task: b.Task, DecisionID: b.DecisionID, Answer: b.Answer, Note: b.Note, By: cmp.Or(b.By, byOperator)}
	if _, err := c.o.Workflows.Runs.Answer(c.ctx(), a); err != nil {
		return summaryAnswer{}, err
	}
	return summaryOf(c, root)
}
