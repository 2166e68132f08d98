package api

import (
	"cmp"
	"slices"

	"belay/internal/fault"
	"belay/internal/workspace/coordination"
)

type coordinationBody struct {
	ProjectRoot string `json:"projectRoot" doc:"absolute path of the project folder"`
	Mode        string `json:"mode" doc:"SCHEDULE_FIRST, DEPENDENCY_TRACKED or HYBRID"`
	By          string `json:"by,omitempty" doc:"who says so, for the audit log"`
}

type coordinationAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	coordination.Record
	// Modes are those that can be recorded.
	Modes []coordination.Mode `json:"modes"`
}

// coordinationRoutes are the endpoints about how a project is coordinated.
func coordinationRoutes() []route {
	match := preconditions("the entity tags of the record that this was decided by; * for one that is there, any without it")
	return []route{
		{method: get, path: "/api/project/coordination", name: "getCoordination", summary: "How a project is coordinated, as its record says.",
			params: []param{workingRoot}, action: answers(getCoordination), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed})},
		{method: put, path: "/api/project/coordination", name: "setCoordination", summary: "Record how a project is coordinated. It does not change how dependencies are tracked.", access: operator,
			params: match, action: takes(setCoordination),
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed, fault.ContentChanged, fault.Overloaded, fault.StorageFailure, fault.WorkspaceFailure})},
	}
}

func getCoordination(c *call) (a coordinationAnswer, err error) {
	root, _, err := c.projectOf()
	if err != nil {
		return a, err
	}
	r, err := coordination.Read(root)
	return coordinationOf(c, root, r), err
}

func setCoordination(c *call, b *coordinationBody) (a coordinationAnswer, err error) {
	if c.o.Projects.Coordination == nil {
		return a, notServed("records no coordination")
	}
	root, err := settledProject(c, b.ProjectRoot)
	if err != nil {
		return a, err
	}
	mode := coordination.Mode(trim(b.Mode))
	if !slices.Contains(coordination.Modes(), mode) {
		return a, fault.New(fault.InvalidRequest, "mode must be one of SCHEDULE_FIRST, DEPENDENCY_TRACKED and HYBRID").With("field", "mode")
	}
	match, err := matching(c.r)
	if err != nil {
		return a, err
	}
	r, err := c.o.Projects.Coordination.Set(c.ctx(), root, mode, cmp.Or(trim(b.By), byOperator), match)
	return coordinationOf(c, root, r), err
}

func coordinationOf(c *call, root string, r coordination.Record) coordinationAnswer {
	if tag := r.ETag(); tag != "" {
		c.w.Header()["Etag"] = []string{tag}
	}
	return coordinationAnswer{root, r, coordination.Modes()}
}
