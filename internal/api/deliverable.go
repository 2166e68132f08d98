package api

import (
	"path/filepath"

	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/statusfile"
	"belay/internal/workspace/view"
)

// deliverableAnswer is everything about one deliverable but the contents of its files.
// What cannot be read is missing, and Problems say so: a damaged file hides no other.
type deliverableAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	Key         string `json:"key"`
	scan.ListedDeliverable
	// PackageName is what the package is called, RelativePath the folder in the project.
	PackageName  string `json:"packageName,omitempty"`
	RelativePath string `json:"relativePath"`

	Status      *statusfile.View    `json:"statusFile,omitempty" doc:"_STATUS.md; absent where it cannot be read"`
	Transitions []transitionChoice  `json:"transitions" doc:"the steps that lead on from the state"`
	Documents   []view.Document     `json:"documents"`
	MoreFiles   bool                `json:"moreDocuments,omitempty"`
	Register    registerFigures     `json:"register"`
	Findings    []placedFinding     `json:"findings" doc:"at most 500"`
	MoreFound   int                 `json:"moreFindings,omitempty"`
	Proposals   []proposal.Shown    `json:"proposals" doc:"those that wait"`
	Upstream    []graph.Blocker     `json:"blockers" doc:"what this deliverable waits for"`
	Downstream  []blockedBy         `json:"blocks" doc:"what waits for this deliverable"`
	Sessions    []overview.Touching `json:"sessions" doc:"sessions that changed files of the folder, the last first"`
	MoreTouched bool                `json:"moreSessions,omitempty"`
	ETags       map[string]string   `json:"etags" doc:"what If-Match takes, by the file's name: _STATUS.md and Dependencies.csv"`
	Problems    []partProblem       `json:"problems" doc:"what could not be read, and why"`
}

// transitionChoice is a step that leads on.
type transitionChoice struct {
	To     lifecycle.State `json:"to"`
	Actors []string        `json:"actors" doc:"who may make it"`
	// Approval and Operator are the gate.
	Approval bool `json:"approval" doc:"a commit that was approved must be named"`
	Operator bool `json:"operator" doc:"it needs the operator's authority"`
	// Lacks are the documents that the state rests on and that the folder does not have.
	// They keep nobody from the transition.
	Lacks []finding.Finding `json:"lacks"`
}

// registerFigures are the numbers of a register; all are 0 where there is none.
type registerFigures struct {
	Exists   bool `json:"exists"`
	Rows     int  `json:"rows"`
	Active   int  `json:"active"`
	Retired  int  `json:"retired"`
	Findings int  `json:"findings"`
}

// placedFinding is a finding with the command for it.
type placedFinding struct {
	finding.Finding
	Command string `json:"command,omitempty" doc:"what is made for it, to be run on the server's machine"`
}

// blockedBy is a deliverable that waits for another one.
type blockedBy struct {
	Deliverable  string `json:"deliverable"`
	State        string `json:"state,omitempty"`
	DependencyID string `json:"dependencyId"`
	Type         string `json:"type"`
}

// partProblem is a part of the answer that could not be made.
type partProblem struct {
	Part    string     `json:"part"`
	Type    fault.Type `json:"type"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// deliverableRoutes is the endpoint about one deliverable.
func deliverableRoutes() []route {
	return []route{
		{method: get, path: "/api/project/deliverable", name: "getDeliverable", summary: "One deliverable with its status, transitions, documents, findings, proposals, blockers and sessions.",
			params: []param{workingRoot, {in: "query", name: "key", required: true, doc: "its key PKG::ID, its id, folder or label"}},
			action: answers(getDeliverable),
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableNotFound, fault.AmbiguousName, fault.DeliverableOutside, fault.Overloaded})},
	}
}

func getDeliverable(c *call) (a deliverableAnswer, err error) {
	root, q, err := c.projectOf()
	if err != nil {
		return a, err
	}
	s, err := c.current(c.r, root)
	if err != nil {
		return a, err
	}
	folder, err := resolve.In(root, s.Result, nil).Deliverable(q["key"])
	if err != nil {
		return a, err
	}
	d, err := workspace.FindDeliverable(root, filepath.Join(root, filepath.FromSlash(folder.Path)))
	if err != nil {
		return a, err
	}
	a = deliverableAnswer{
		ProjectRoot: root, Key: folder.Key(), ListedDeliverable: folder.Listed(root), RelativePath: folder.Path,
		Transitions: []transitionChoice{}, Findings: []placedFinding{}, Proposals: []proposal.Shown{}, Upstream: []graph.Blocker{}, Downstream: []blockedBy{},
		Sessions: []overview.Touching{}, ETags: map[string]string{}, Problems: []partProblem{},
	}
	for _, p := range s.Packages {
		if p.Folder == folder.Package {
			a.PackageName = p.Name
		}
	}
	parts := []struct {
		name string
		read func() error
	}{
		{"status", func() error { return a.readStatus(c, d) }},
		{"documents", func() (err error) {
			a.Documents, a.MoreFiles, err = view.Documents(c.ctx(), root, folder.Path, c.hides(root))
			return err
		}},
		{"findings", func() error { return a.readFindings(c, s, folder) }},
		{"register", func() error { return a.readRegister(c, d) }},
		{"proposals", func() error { return a.readProposals(c, folder) }},
		{"graph", func() error { return a.readBlockers(c, s, folder) }},
		{"sessions", func() error { return a.readSessions(c, folder) }},
	}
	for _, part := range parts {
		if err := part.read(); err != nil {
			if c.ctx().Err() != nil {
				return a, c.ctx().Err()
			}
			f := fault.From(err)
			a.Problems = append(a.Problems, partProblem{part.name, f.Type, f.Message, f.NextStep()})
		}
	}
	a.Documents = orEmpty(a.Documents)
	return a, nil
}
