package api

import (
	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// closedDecision is a question that has its answer: of a turn, or of a run.
type closedDecision struct {
	permit.Decision
	SessionID   string `json:"sessionId,omitempty"`
	TurnID      string `json:"turnId,omitempty"`
	RunID       string `json:"runId,omitempty"`
	ToolCallID  string `json:"toolCallId,omitempty"`
	ProjectRoot string `json:"projectRoot,omitempty"`
	Tool        string `json:"tool,omitempty"`
	Summary     string `json:"summary,omitempty" doc:"what the call would have done, in a sentence"`
}

type closedDecisionsAnswer struct {
	Decisions []closedDecision `json:"decisions"`
}

// questionAnswer is a question, open or closed: one of decision, wait and closed is there.
type questionAnswer struct {
	Open     bool            `json:"open"`
	Decision *openDecision   `json:"decision,omitempty"`
	Wait     *run.Waiting    `json:"wait,omitempty" doc:"the task of a run that waits for a person"`
	Closed   *closedDecision `json:"closed,omitempty"`
}

type updateBody struct {
	Title *string `json:"title,omitempty" doc:"what lists call the session, at most 200 bytes; with an empty one they go by its first message"`
	Mode  *string `json:"mode,omitempty" doc:"the permission mode of turns whose options name none"`
	Model *string `json:"model,omitempty" doc:"the model of turns whose options name none; an empty one stands for the usual model"`
}

// queuedInput is what a person said into a turn that has not taken it yet.
type queuedInput struct {
	ID          string            `json:"id"`
	Mode        session.InputMode `json:"mode"`
	Message     string            `json:"message"`
	Attachments int               `json:"attachments,omitempty" doc:"how many files came with it"`
	Items       []attachment.Item `json:"items,omitempty" doc:"those that belay has stored; a message attaches one again by its origin"`
	Warning     string            `json:"warning,omitempty" doc:"which of its files were refused"`
	Time        session.Time      `json:"time"`
}

type queueAnswer struct {
	Inputs []queuedInput `json:"inputs"`
}

// controlRoutes are the endpoints about decisions, sessions and inputs one by one.
func controlRoutes() []route {
	return []route{
		{method: patch, path: "/api/harness/session/{id}", name: "updateSession", summary: "Change a session's title, mode or model; refused while a turn runs.",
			params: []param{sessionPath}, action: takes(updateSession),
			errors: []fault.Type{fault.SessionNotFound, fault.TurnInProgress, fault.SessionReadOnly, fault.Overloaded, fault.StorageFailure}},
		{method: get, path: "/api/harness/session/{id}/queue", name: "listQueue", summary: "What people said into the running turn and it has not taken yet, oldest first.",
			params: []param{sessionPath}, action: answers(listQueue), errors: []fault.Type{fault.SessionNotFound, fault.StorageFailure}},
		{method: remove, path: "/api/harness/session/{id}/queue/{input}", name: "dropQueued", summary: "Take one of these back.",
			params: []param{sessionPath, {in: "path", name: "input", required: true, doc: "the input's id"}},
			action: answers(dropQueued), errors: []fault.Type{fault.SessionNotFound, fault.NotFound, fault.StorageFailure}},
		{method: get, path: "/api/harness/decisions/closed", name: "listClosedDecisions", summary: "The latest answers to calls that waited for a person, of the last month, the latest first.", access: operator,
			params: []param{{in: "query", name: "sessionId", doc: "of this session; of all without it"},
				{in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 200; 50 without it"}},
			action: answers(listClosed), errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.StorageFailure}},
		{method: get, path: "/api/harness/decision/{id}", name: "getDecision", summary: "One question, with its answer if it has one.", access: operator,
			params: []param{{in: "path", name: "id", required: true, doc: "the question's id"}},
			action: answers(getDecision), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},
	}
}

func updateSession(c *call, b *updateBody) (sessionAnswer, error) {
	rec, err := c.o.Engine.Update(c.ctx(), c.id(), turn.SessionChange(*b))
	return sessionAnswer{rec}, err
}

func listQueue(c *call) (queueAnswer, error) {
	inputs, err := c.o.Engine.Inputs(c.ctx(), c.id())
	a := queueAnswer{make([]queuedInput, len(inputs))}
	for i, in := range inputs {
		a.Inputs[i] = queuedInput{in.ID, in.Mode, in.Message, len(in.Items) + len(in.Links), in.Items, in.Warning, in.Time}
	}
	return a, err
}

func dropQueued(c *call) (okAnswer, error) {
	return done(c.o.Engine.DropInput(c.ctx(), c.id(), c.r.PathValue("input")))
}

// The number of answers in a list: what it has where the caller does not say, and at most.
const (
	usualClosed = 50
	maxClosed   = 200
)

func listClosed(c *call) (a closedDecisionsAnswer, err error) {
	q, err := query(c.r)
	if err != nil {
		return a, err
	}
	p := params{q: q}
	limit := p.limit(usualClosed, maxClosed)
	if err := p.err(); err != nil {
		return a, err
	}
	list, err := c.o.Engine.Closed(c.ctx(), trim(q["sessionId"]), limit)
	a.Decisions = make([]closedDecision, len(list))
	for i := range list {
		a.Decisions[i] = *closedOf(&list[i])
	}
	return a, err
}

func closedOf(c *permit.Closed) *closedDecision {
	return &closedDecision{Decision: c.Decision, SessionID: c.SessionID, TurnID: c.TurnID, ToolCallID: c.ToolCallID, ProjectRoot: c.ProjectRoot, Tool: c.Tool, Summary: c.Summary}
}

func getDecision(c *call) (a questionAnswer, err error) {
	q, err := c.o.Engine.Question(c.ctx(), c.id())
	switch {
	case err == nil && q.Open != nil:
		return questionAnswer{Open: true, Decision: &openDecision{q.Open.ID, *q.Open}}, nil
	case err == nil:
		return questionAnswer{Closed: closedOf(q.Closed)}, nil
	case !fault.Is(err, fault.NotFound) || c.o.Workflows.Runs == nil:
		return a, err
	}
	w, found, e := c.waitOf(c.ctx(), c.id())
	switch {
	case e != nil:
		return a, e
	case !found:
		return a, err
	case w.Answer == nil:
		return questionAnswer{Open: true, Wait: &w}, nil
	}
	verdict := permit.VerdictDeny
	if w.Answer.Answer == run.AnswerContinue {
		verdict = permit.VerdictAllow
	}
	return questionAnswer{Closed: &closedDecision{
		Decision: permit.Decision{DecisionID: w.DecisionID, Verdict: verdict, By: w.Answer.By, Note: w.Answer.Note, Time: w.Answer.At},
		RunID:    w.RunID, ProjectRoot: w.Project, Summary: w.Message,
	}}, nil
}
