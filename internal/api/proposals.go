package api

import (
	"cmp"
	"context"

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
	Only        []string `json:"only,omitempty" is:"some" doc:"the rows to apply, by DependencyID; all of them without it"`
	Retire      *bool    `json:"retire,omitempty" doc:"whether rows are retired that a complete proposal does not have; true without it"`
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
			action: answers(listProposals), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed})},
		{method: post, path: "/api/project/proposals/{id}/apply", name: "applyProposal", summary: "Take a proposal over into the register.", access: operator,
			params: append([]param{id}, preconditions("the entity tag of the register with which the diff was made, registerTag; another one now is CONTENT_CHANGED, "+
				"and without it one that is not what the proposal was made for")...), action: takes(applyProposal),
			errors: errorsOf(registerErrors, rowErrors, []fault.Type{fault.DecisionClosed})},
		{method: post, path: "/api/project/proposals/{id}/dismiss", name: "dismissProposal", summary: "Close a proposal without applying it.", access: operator,
			params: []param{id}, action: takes(dismissProposal),
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DecisionClosed, fault.Overloaded, fault.StorageFailure})},
	}
}

func listProposals(c *call) (a proposalsAnswer, err error) {
	root, q, err := c.projectOf()
	if err != nil {
		return a, err
	}
	if c.o.Projects.Proposals == nil {
		return a, errNoRegisters
	}
	state := trim(q["state"])
	if state != "" && state != "all" && state != string(proposal.Open) {
		return a, fault.New(fault.InvalidRequest, `state must be "open" or "all"`).With("field", "state")
	}
	list, err := c.o.Projects.Proposals.List(c.ctx(), root, state == "all")
	return proposalsAnswer{root, orEmpty(list)}, err
}

// proposalsOf is the gate of a project whose proposals a request settles.
func proposalsOf(c *call, projectRoot string) (string, error) {
	if c.o.Projects.Proposals == nil {
		return "", errNoRegisters
	}
	return c.checkProject(projectRoot)
}

func applyProposal(c *call, b *applyBody) (a applyAnswer, err error) {
	root, err := proposalsOf(c, b.ProjectRoot)
	if err != nil {
		return a, err
	}
	match, err := matching(c.r)
	if err != nil {
		return a, err
	}
	settle := proposal.Settle{Only: b.Only, Retire: b.Retire == nil || *b.Retire, By: cmp.Or(b.By, byOperator), Match: match}
	p, done, err := c.o.Projects.Proposals.Apply(c.ctx(), root, c.id(), settle)
	if err != nil {
		return a, err
	}
	a = applyAnswer{Proposal: p, Diff: done.Diff, Register: dependenciesOf(done.Deliverable, done.File, done.Before, done.Warnings)}
	a.Register.SummaryProblem = done.Summary
	c.w.Header()["Etag"] = []string{quoted(done.File.Tag)}
	return a, nil
}

func dismissProposal(c *call, b *dismissBody) (a proposalAnswer, err error) {
	root, err := proposalsOf(c, b.ProjectRoot)
	if err == nil {
		a.Proposal, err = c.o.Projects.Proposals.Dismiss(c.ctx(), root, c.id(), cmp.Or(b.By, byOperator))
	}
	return a, err
}
