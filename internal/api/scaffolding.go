package api

import (
	"context"
	"net/http"

	"belay/internal/fault"
	"belay/internal/workspace/scaffold"
)

// Scaffolder makes projects for callers.
type Scaffolder interface {
	// Scaffold makes an execution root of a decomposition.
	Scaffold(ctx context.Context, r scaffold.Request) (scaffold.Result, error)
	// Example copies the example project to a folder, or to one of its own choice
	// for "", and returns which.
	Example(ctx context.Context, projectRoot string) (string, error)
}

type scaffoldBody struct {
	ExecutionRoot     string `json:"executionRoot" doc:"absolute path of the root; made where it does not exist"`
	DecompositionPath string `json:"decompositionPath" doc:"absolute path of the decomposition document"`
	ProjectName       string `json:"projectName,omitempty" doc:"the document's title without it"`
	CoordinationMode  string `json:"coordinationMode,omitempty" doc:"SCHEDULE_FIRST, DEPENDENCY_TRACKED (without it) or HYBRID"`
}

type exampleBody struct {
	ProjectRoot string `json:"projectRoot,omitempty" doc:"absolute path of a folder that does not exist or is empty; one of the server's choice without it"`
}

type exampleAnswer struct {
	ProjectRoot string `json:"projectRoot"`
}

// makingRoutes are the endpoints that make projects.
func scaffoldRoutes() []route {
	return []route{
		{method: post, path: "/api/harness/scaffold", name: "scaffold", summary: "Make an execution root of a decomposition; what is there already stays.",
			body: scaffoldBody{}, answer: scaffold.Result{}, serve: serveScaffold,
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.NotFound, fault.StorageFailure})},
		{method: post, path: "/api/project/example", name: "makeExample", summary: "A copy of the example project.",
			body: exampleBody{}, answer: exampleAnswer{}, serve: serveExample,
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.NotFound, fault.StorageFailure})},
	}
}

// errNoMaker is the answer of a handler that was given nothing to make projects
// with.
var errNoMaker = fault.New(fault.NotFound, "this server makes no projects")

func serveScaffold(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := scaffold.Request{
		ExecutionRoot: f.required("executionRoot"), DecompositionPath: f.required("decompositionPath"),
		ProjectName: f.optional("projectName"), CoordinationMode: f.optional("coordinationMode"),
	}
	if err := f.err(); err != nil {
		return err
	}
	if h.o.Scaffolder == nil {
		return errNoMaker
	}
	result, err := h.o.Scaffolder.Scaffold(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, result)
}

func serveExample(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	root := f.optional("projectRoot")
	if err := f.err(); err != nil {
		return err
	}
	if h.o.Scaffolder == nil {
		return errNoMaker
	}
	made, err := h.o.Scaffolder.Example(r.Context(), root)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, exampleAnswer{made})
}
