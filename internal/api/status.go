package api

import (
	"cmp"
	"net/http"

	"belay/internal/fault"
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
	ProjectRoot     string            `json:"projectRoot" doc:"absolute path of the project folder"`
	DeliverablePath string            `json:"deliverablePath" doc:"absolute path of the deliverable's folder"`
	TargetState     string            `json:"targetState" doc:"the state to go to"`
	Actor           string            `json:"actor" doc:"who makes the transition, as it is written into the history"`
	Date            string            `json:"date,omitempty" doc:"YYYY-MM-DD; today, in UTC, without it"`
	ApprovalSHA     string            `json:"approvalSha,omitempty" doc:"the commit that was approved, 7 to 64 hex digits; needed for CHECKING and ISSUED"`
	Metadata        map[string]string `json:"metadata,omitempty" doc:"further labelled lines of the file, by key"`
	Note            string            `json:"note,omitempty" doc:"is written beside the entry of the history"`
	By              string            `json:"by,omitempty" doc:"who says so, for the audit log; counts with the operator's authority"`
}

// deliverableOf is the gate of a deliverable's folder that a request names.
func (h *Handler) deliverableOf(projectRoot, path string) (workspace.Deliverable, error) {
	if h.o.Projects.Transitions == nil {
		return workspace.Deliverable{}, fault.New(fault.NotFound, "this server does not look into projects")
	}
	if _, err := h.checkProject(projectRoot); err != nil {
		return workspace.Deliverable{}, err
	}
	return workspace.FindDeliverable(projectRoot, path)
}

func serveStatus(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	d, err := h.deliverableOf(trim(q["projectRoot"]), trim(q["deliverablePath"]))
	if err != nil {
		return err
	}
	s, err := statusfile.Read(d, h.o.Projects.Transitions.Bytes)
	if err != nil {
		return err
	}
	w.Header()["Etag"] = []string{s.ETag()}
	return reply(w, http.StatusOK, s.View(nil))
}

func serveTransition(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	projectRoot, path := f.required("projectRoot"), f.required("deliverablePath")
	c := statusfile.Change{Request: lifecycle.Request{
		To: f.required("targetState"), Actor: f.required("actor"), Date: f.optional("date"),
		Metadata: metadata(f), ApprovalSHA: f.optional("approvalSha"), Note: f.optional("note"),
	}}
	by := f.optional("by")
	for _, p := range c.Problems() {
		f.bad(p.Field, p.Message)
	}
	if err := f.err(); err != nil {
		return err
	}
	if c.By, err = h.asker(r, c.To, c.Actor, by); err != nil {
		return err
	}
	d, err := h.deliverableOf(projectRoot, path)
	if err != nil {
		return err
	}
	c.If = statusfile.Hashes(r.Header["If-Match"]...)
	s, done, err := h.o.Projects.Transitions.Change(r.Context(), d, c)
	if err != nil {
		return err
	}
	w.Header()["Etag"] = []string{s.ETag()}
	return reply(w, http.StatusOK, s.View(&done))
}

// metadata reads an object of strings, in its order.
func metadata(f fields) (all []lifecycle.Field) {
	m := f.nested("metadata")
	for _, name := range m.object.names {
		all = append(all, lifecycle.Field{Key: name, Value: m.optional(name)})
	}
	return all
}

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
	case has && h.o.Operator.is(token), !has && h.o.Operator.holds(r):
		return statusfile.Asker{Name: cmp.Or(by, byOperator)}, nil
	case has && h.o.Token != "" && lifecycle.Actor(actor) != lifecycle.Human:
		return statusfile.Asker{Name: byMember}, nil
	case !has && (h.o.Projects.OpenTransitions || h.o.Token == "" && !gated(to)):
		return statusfile.Asker{Name: byNobody}, nil
	}
	return statusfile.Asker{}, forbidden("operator", "this transition needs the operator's authority").
		WithHint("make it with belay project status on the server's machine, or send the token in operator.token of its state folder")
}
