package api

import (
	"cmp"
	"net/http"

	"belay/internal/workspace"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/statusfile"
)

// byNobody is who made a change that nobody's token vouches for, byMember one that the
// access token does.
const (
	byNobody = "unauthenticated"
	byMember = "access token"
)

type transitionBody struct {
	ProjectRoot     string   `json:"projectRoot" doc:"absolute path of the project folder"`
	DeliverablePath string   `json:"deliverablePath" doc:"absolute path of the deliverable's folder"`
	TargetState     string   `json:"targetState" doc:"the state to go to"`
	Actor           string   `json:"actor" doc:"who makes the transition, as it is written into the history"`
	Date            string   `json:"date,omitempty" doc:"YYYY-MM-DD; today, in UTC, without it"`
	ApprovalSHA     string   `json:"approvalSha,omitempty" doc:"the commit that was approved, 7 to 64 hex digits; needed for CHECKING and ISSUED"`
	Metadata        metadata `json:"metadata,omitempty" doc:"further labelled lines of the file, by key"`
	Note            string   `json:"note,omitempty" doc:"is written beside the entry of the history"`
	By              string   `json:"by,omitempty" doc:"who says so, for the audit log; counts with the operator's authority"`
}

// deliverableOf is the gate of a deliverable's folder that a request names.
func deliverableOf(c *call, projectRoot, path string) (workspace.Deliverable, error) {
	if c.o.Projects.Transitions == nil {
		return workspace.Deliverable{}, notServed("does not look into projects")
	}
	if _, err := settledProject(c, projectRoot); err != nil {
		return workspace.Deliverable{}, err
	}
	return workspace.FindDeliverable(projectRoot, path)
}

func getStatus(c *call) (a statusfile.View, err error) {
	q, err := query(c.r)
	if err != nil {
		return a, err
	}
	d, err := deliverableOf(c, wanted(byRoot, q[byRoot]), wanted("deliverablePath", q["deliverablePath"]))
	if err != nil {
		return a, err
	}
	s, err := statusfile.Read(d, c.o.Projects.Transitions.Bytes)
	if err != nil {
		return a, err
	}
	c.w.Header()["Etag"] = []string{s.ETag()}
	return s.View(nil), nil
}

func makeTransition(c *call, b *transitionBody) (a statusfile.View, err error) {
	change := statusfile.Change{Request: b.request()}
	if change.Match, err = matching(c.r); err != nil {
		return a, err
	}
	if change.By, err = c.asker(c.r, b.TargetState, b.Actor, b.By); err != nil {
		return a, err
	}
	d, err := deliverableOf(c, b.ProjectRoot, b.DeliverablePath)
	if err != nil {
		return a, err
	}
	s, done, err := c.o.Projects.Transitions.Change(c.ctx(), d, change)
	if err != nil {
		return a, err
	}
	c.w.Header()["Etag"] = []string{s.ETag()}
	return s.View(&done), nil
}

func (b *transitionBody) request() lifecycle.Request {
	return lifecycle.Request{To: b.TargetState, Actor: b.Actor, Date: b.Date, Metadata: b.Metadata, ApprovalSHA: b.ApprovalSHA, Note: b.Note}
}

func (b *transitionBody) check(f fields) {
	for _, p := range b.request().Problems() {
		f.bad(p.Field, p.Message)
	}
}

// metadata is an object of strings, in its order.
type metadata []lifecycle.Field

// gated reports whether a state, in any of the ways in which a request may write it, is
// a gate that only people open.
func gated(to string) bool {
	state, _ := lifecycle.ParseState(to)
	return state == lifecycle.Checking || state == lifecycle.Issued
}

// asker says who asks for a transition, and whether they may. One to CHECKING or ISSUED
// needs the operator's authority, and where there is an access token so does every one
// of a person; an agent's needs the token. The operator may have let callers without
// any make them all, as the original does. The audit log says so.
func (h *Handler) asker(r *http.Request, to, actor, by string) (statusfile.Asker, error) {
	token, has := bearer(r)
	switch {
	case has && h.o.Operator.is(token), !has && h.o.Operator.hasCookie(r):
		return statusfile.Asker{Name: cmp.Or(by, byOperator)}, nil
	case has && h.o.Token != "" && lifecycle.Actor(actor) != lifecycle.Human:
		return statusfile.Asker{Name: byMember}, nil
	case !has && (h.o.Projects.OpenTransitions || h.o.Token == "" && !gated(to)):
		return statusfile.Asker{Name: byNobody}, nil
	}
	return statusfile.Asker{}, forbidden("operator", "this transition needs the operator's authority").
		WithHint("make it with belay project status on the server's machine, or send the token in operator.token of its state folder")
}
