package api

import (
	"cmp"
	"context"
	"net/http"

	"belay/internal/fault"
	"belay/internal/turn/changes"
)

type keepBody struct {
	ProjectRoot string   `json:"projectRoot" doc:"absolute path of the project folder"`
	ID          string   `json:"id" doc:"the kept change"`
	Only        []string `json:"only,omitempty" doc:"the files to apply; folders stand for all that is in them; all without it, and the others stay kept"`
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
			params: []param{workingRoot}, answer: keptAnswer{}, serve: serveKept,
			errors: errorsOf(rootErrors, projectErrors, []fault.Type{fault.StorageFailure})},
		{method: get, path: "/api/project/change", name: "getKeptChange", summary: "One kept change, with the diff and the conflicts that it has now.", access: operator,
			params: []param{workingRoot, {in: "query", name: "id", required: true, doc: "the kept change"}},
			answer: keptChangeAnswer{}, serve: serveKeptChange,
			errors: errorsOf(rootErrors, projectErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
		{method: post, path: "/api/project/change/keep", name: "keepChange", summary: "Make a kept change in the project, all of it or some files.", access: operator,
			body: keepBody{}, answer: settledAnswer{}, serve: serveKeep, errors: errorsOf(settling, []fault.Type{fault.Overloaded})},
		{method: post, path: "/api/project/change/drop", name: "dropChange", summary: "Remove a kept change without applying it.", access: operator,
			body: dropBody{}, answer: settledAnswer{}, serve: serveDrop, errors: settling},
	}
}

func serveKept(h *Handler, w *response, r *http.Request) error {
	root, _, err := h.projectOf(r)
	if err != nil {
		return err
	}
	all, err := h.o.Engine.Kept(r.Context(), root)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, keptAnswer{root, orEmpty(all)})
}

func serveKeptChange(h *Handler, w *response, r *http.Request) error {
	root, q, err := h.projectOf(r)
	if err != nil {
		return err
	}
	id := trim(q["id"])
	if id == "" {
		return fault.New(fault.InvalidRequest, "the parameter id is required").With("field", "id")
	}
	c, err := h.o.Engine.KeptChange(r.Context(), root, id)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, keptChangeAnswer{c})
}

func serveKeep(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := keptRequest(f)
	req.Only, req.RunsByItself = f.strings("only"), f.flag("runsByItself")
	return h.settle(w, r, f, req, h.o.Engine.ApplyKept)
}

func serveDrop(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	return h.settle(w, r, f, keptRequest(f), h.o.Engine.DropKept)
}

func keptRequest(f fields) changes.KeptRequest {
	return changes.KeptRequest{ProjectRoot: f.required("projectRoot"), ID: f.required("id"), By: cmp.Or(f.optional("by"), byOperator)}
}

// settle does what a person decided on a kept change.
func (h *Handler) settle(w *response, r *http.Request, f fields, req changes.KeptRequest, do func(context.Context, changes.KeptRequest) (changes.KeptResult, error)) error {
	err := f.err()
	if err == nil {
		req.ProjectRoot, err = h.checkProject(req.ProjectRoot)
	}
	if err != nil {
		return err
	}
	done, err := do(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, settledAnswer{done})
}
