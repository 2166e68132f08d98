package api

import (
	"context"

	"belay/internal/fault"
	"belay/internal/workspace/scaffold"
)

// Scaffolder makes projects for callers.
type Scaffolder interface {
	// Scaffold makes an execution root of a decomposition.
	Scaffold(ctx context.Context, r scaffold.Request) (scaffold.Result, error)
	// Outline is what Scaffold would make now. It makes nothing.
	Outline(ctx context.Context, r scaffold.Request) (scaffold.Outline, error)
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

// scaffoldRoutes are the endpoints that make projects.
func scaffoldRoutes() []route {
	return []route{
		{method: post, path: "/api/harness/scaffold", name: "scaffold", summary: "Create an execution root from a decomposition; what is there already stays.",
			action: takes(scaffoldProject),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.NotFound, fault.StorageFailure})},
		{method: post, path: "/api/harness/scaffold/preview", name: "previewScaffold", summary: "What a scaffold with the same body would make. It makes nothing.",
			action: takes(outlineProject),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.NotFound})},
		{method: post, path: "/api/project/example", name: "makeExample", summary: "A copy of the example project.",
			action: takes(makeExample),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.NotFound, fault.StorageFailure})},
	}
}

// errNoMaker is the answer of a handler that was given nothing to make projects
// with.
var errNoMaker = notServed("makes no projects")

func scaffoldProject(c *call, b *scaffoldBody) (scaffold.Result, error) {
	if c.o.Scaffolder == nil {
		return scaffold.Result{}, errNoMaker
	}
	return c.o.Scaffolder.Scaffold(c.ctx(), scaffold.Request(*b))
}

func outlineProject(c *call, b *scaffoldBody) (scaffold.Outline, error) {
	if c.o.Scaffolder == nil {
		return scaffold.Outline{}, errNoMaker
	}
	return c.o.Scaffolder.Outline(c.ctx(), scaffold.Request(*b))
}

func makeExample(c *call, b *exampleBody) (exampleAnswer, error) {
	if c.o.Scaffolder == nil {
		return exampleAnswer{}, errNoMaker
	}
	made, err := c.o.Scaffolder.Example(c.ctx(), b.ProjectRoot)
	return exampleAnswer{made}, err
}
