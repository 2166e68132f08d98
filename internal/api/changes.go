package api

import (
	"cmp"
	"context"

	"belay/internal/fault"
	"belay/internal/turn/changes"
)

type keepBody struct {
	ProjectRoot string   `json:"projectRoot" doc:"absolute path of the project folder"`
	ID          string   `json:"id" doc:"the kept change"`
	Only        []string `json:"only,omitempty" is:"some" doc:"the files to apply; folders stand for all that is in them; all without it, and the others stay kept"`
	// RunsByItself is the person's second yes.
	RunsByItself bool   `json:"runsByItself,omitempty" doc:"also apply files that other programs run by themselves; without it a change that has any is refused"`
	By           string `json:"by,omitempty" doc:"who says so, for the record"`
}

type dropBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	ID          string `json:"id" doc:"the kept change"`
	By          string `json:"by,omitempty" doc:"who says so, for the record"`
}

type keptAnswer struct {
	ProjectRoot string               `json:"projectRoot"`
	Changes     []changes.KeptChange `json:"changes"`
}

type keptChangeAnswer struct {
	Change changes.KeptChange `json:"change"`
}

type settledAnswer struct {
	Change changes.KeptResult `json:"change"`
}

// keptRoutes are the endpoints about what commands changed and what is not real yet.
func keptRoutes() []route {
	settling := errorsOf(rootErrors, projectErrors, []fault.Type{fault.NotFound, fault.TurnInProgress, fault.ContentChanged, fault.StorageFailure})
	return []route{
		{method: get, path: "/api/project/changes", name: "listKeptChanges", summary: "What commands changed and what is not real yet, oldest first.", access: operator,
			params: []param{workingRoot}, action: answers(listKept),
			errors: errorsOf(rootErrors, projectErrors, []fault.Type{fault.StorageFailure})},
		{method: get, path: "/api/project/change", name: "getKeptChange", summary: "One kept change, with the diff and the conflicts that it has now.", access: operator,
			params: []param{workingRoot, {in: "query", name: "id", required: true, doc: "the kept change"}},
			action: answers(getKept),
			errors: errorsOf(rootErrors, projectErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
		{method: post, path: "/api/project/change/keep", name: "keepChange", summary: "Apply a kept change to the project, all of it or some files.", access: operator,
			action: takes(keepChange), errors: errorsOf(settling, []fault.Type{fault.Overloaded})},
		{method: post, path: "/api/project/change/drop", name: "dropChange", summary: "Remove a kept change without applying it.", access: operator,
			action: takes(dropChange), errors: settling},
	}
}

func listKept(c *call) (keptAnswer, error) {
	root, _, err := c.projectOf()
	if err != nil {
		return keptAnswer{}, err
	}
	all, err := c.o.Engine.Kept(c.ctx(), root)
	return keptAnswer{root, orEmpty(all)}, err
}

func getKept(c *call) (keptChangeAnswer, error) {
	root, q, err := c.projectOf()
	if err != nil {
		return keptChangeAnswer{}, err
	}
	p := params{q: q}
	id := p.required("id")
	if err := p.err(); err != nil {
		return keptChangeAnswer{}, err
	}
	change, err := c.o.Engine.KeptChange(c.ctx(), root, id)
	return keptChangeAnswer{change}, err
}

func keepChange(c *call, b *keepBody) (settledAnswer, error) {
	return settleKept(c, changes.KeptRequest(*b), c.o.Engine.ApplyKept)
}

func dropChange(c *call, b *dropBody) (settledAnswer, error) {
	return settleKept(c, changes.KeptRequest{ProjectRoot: b.ProjectRoot, ID: b.ID, By: b.By}, c.o.Engine.DropKept)
}

// settleKept does what a person decided on a kept change.
func settleKept(c *call, req changes.KeptRequest, do func(context.Context, changes.KeptRequest) (changes.KeptResult, error)) (a settledAnswer, err error) {
	req.By = cmp.Or(req.By, byOperator)
	if req.ProjectRoot, err = c.checkProject(req.ProjectRoot); err == nil {
		a.Change, err = do(c.ctx(), req)
	}
	return a, err
}
