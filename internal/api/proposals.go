package api

import (
	"cmp"
	"context"
	"net/http"

	"belay/internal/fault"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

type proposalsAnswer struct {
	ProjectRoot string           `json:"projectRoot"`
	Proposals   []proposal.Shown `json:"proposals"`
}

type applyBody struct {
	ProjectRoot string   `json:"projectRoot" doc:"absolute path of the project folder"`
	Only        []string `json:"only,omitempty" doc:"the rows to apply, by DependencyID; all of them without it"`
	Retire      bool     `json:"retire,omitempty" doc:"whether rows are retired that a complete proposal does not have; true without it"`
	By          string   `json:"by,omitempty" doc:"who says so, for the record"`
}

type dismissBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	By          string `json:"by,omitempty" doc:"who says so, for the record"`
}

type applyAnswer struct {
	Proposal proposal.Proposal  `json:"proposal"`
	Diff     *register.Diff     `json:"diff"`
	Register dependenciesAnswer `json:"register"`
}

type proposalAnswer struct {
	Proposal proposal.Proposal `json:"proposal"`
}

// Proposals keeps what agents propose for registers.
type Proposals interface {
	List(ctx context.Context, projectRoot string, settled bool) ([]proposal.Shown, error)
	Apply(ctx context.Context, projectRoot, id string, c proposal.Settle) (proposal.Proposal, registerfile.Result, error)
	Dismiss(ctx context.Context, projectRoot, id, by string) (proposal.Proposal, error)
}

var _ Proposals = (*proposal.Store)(nil)

// proposalRoutes are the endpoints about what is proposed for registers.
func proposalRoutes() []route {
	id := param{in: "path", name: "id", required: true, doc: "the proposal's id"}
	return []route{
		{method: get, path: "/api/project/proposals", name: "listProposals", summary: "What agents propose for registers, each as what it would change.",
			params: []param{workingRoot, {in: "query", name: "state", doc: "all also lists those that were applied, dismissed or superseded"}},
			answer: proposalsAnswer{}, serve: serveProposals, errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed})},
		{method: post, path: "/api/project/proposals/{id}/apply", name: "applyProposal", summary: "Take a proposal over into the register.", access: operator,
			params: []param{id, {in: "header", name: "If-Match", doc: "the entity tag of the register with which the diff was made, registerTag; another one now is CONTENT_CHANGED, " +
				"and without it one that is not what the proposal was made for"}}, body: applyBody{}, answer: applyAnswer{}, serve: serveApply,
			errors: errorsOf(registerErrors, rowErrors, []fault.Type{fault.DecisionClosed})},
		{method: post, path: "/api/project/proposals/{id}/dismiss", name: "dismissProposal", summary: "Close a proposal without applying it.", access: operator,
			params: []param{id}, body: dismissBody{}, answer: proposalAnswer{}, serve: serveDismiss,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DecisionClosed, fault.Overloaded, fault.StorageFailure})},
	}
}

func serveProposals(h *Handler, w *response, r *http.Request) error {
	root, q, err := h.projectOf(r)
	if err != nil {
		return err
	}
	if h.o.Projects.Proposals == nil {
		return errNoRegisters
	}
	state := trim(q["state"])
	if state != "" && state != "all" && state != string(proposal.Open) {
		return fault.New(fault.InvalidRequest, `state must be "open" or "all"`).With("field", "state")
	}
	list, err := h.o.Projects.Proposals.List(r.Context(), root, state == "all")
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, proposalsAnswer{root, orEmpty(list)})
}

func serveApply(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	root := f.required("projectRoot")
	c := proposal.Settle{Only: f.strings("only"), Retire: f.flag("retire"), By: cmp.Or(f.optional("by"), byOperator), Match: matching(r)}
	if f.object.get("retire").kind == absent {
		c.Retire = true
	}
	if err := f.err(); err != nil {
		return err
	}
	if h.o.Projects.Proposals == nil {
		return errNoRegisters
	}
	if root, err = h.checkProject(root); err != nil {
		return err
	}
	p, done, err := h.o.Projects.Proposals.Apply(r.Context(), root, r.PathValue("id"), c)
	if err != nil {
		return err
	}
	answer := applyAnswer{Proposal: p, Diff: done.Diff, Register: dependenciesOf(done.Deliverable, done.File, done.Before, done.Warnings)}
	answer.Register.SummaryProblem = done.Summary
	w.Header()["Etag"] = []string{quoted(done.File.Tag)}
	return reply(w, http.StatusOK, answer)
}

func serveDismiss(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	root, by := f.required("projectRoot"), cmp.Or(f.optional("by"), byOperator)
	if err := f.err(); err != nil {
		return err
	}
	if h.o.Projects.Proposals == nil {
		return errNoRegisters
	}
	if root, err = h.checkProject(root); err != nil {
		return err
	}
	p, err := h.o.Projects.Proposals.Dismiss(r.Context(), root, r.PathValue("id"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, proposalAnswer{p})
}
