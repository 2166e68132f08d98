package api

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/index"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/statusfile"
	"belay/internal/workspace/validate"
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

// placedFinding is a finding with the command that removes it.
type placedFinding struct {
	finding.Finding
	Command string `json:"command,omitempty" doc:"what removes it, to be run on the server's machine"`
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

// maxDeliverableFindings is how many findings are listed.
const maxDeliverableFindings = 500

// deliverableRoutes is the endpoint about one deliverable.
func deliverableRoutes() []route {
	return []route{
		{method: get, path: "/api/project/deliverable", name: "getDeliverable", summary: "One deliverable with its status, transitions, documents, findings, proposals, blockers and sessions.",
			params: []param{workingRoot, {in: "query", name: "key", required: true, doc: "PKG::ID, the package's folder or its id, and the deliverable's id"}},
			action: answers(getDeliverable),
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableNotFound, fault.DeliverableOutside, fault.Overloaded})},
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
	folder, err := deliverableByKey(s, trim(q["key"]))
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

// deliverableByKey finds the deliverable that a key names. The error for one that is not
// there says where deliverables with its id are: it may have been moved.
func deliverableByKey(s *index.Snapshot, key string) (*scan.Folder, error) {
	pkg, id, ok := strings.Cut(key, "::")
	if !ok || id == "" {
		return nil, fault.New(fault.InvalidRequest, "key must be PKG::ID, like PKG-01_Bridge::DEL-01-01").With("field", "key")
	}
	var elsewhere []string
	for _, f := range s.Deliverables {
		switch {
		case !strings.EqualFold(f.ID, id):
		case f.Package == pkg || f.PackageID() != "" && strings.EqualFold(f.PackageID(), layout.ParseName(pkg).ID):
			return f, nil
		default:
			elsewhere = append(elsewhere, f.Key())
		}
	}
	missing := fault.New(fault.DeliverableNotFound, "there is no deliverable %s in the project", finding.Shown(key))
	if len(elsewhere) > 0 {
		return nil, missing.With("elsewhere", elsewhere).WithHint("it may have been moved: %s", strings.Join(elsewhere, ", "))
	}
	for _, f := range s.Copies {
		if strings.EqualFold(f.ID, id) {
			elsewhere = append(elsewhere, f.Path)
		}
	}
	if len(elsewhere) > 0 {
		return nil, missing.With("copies", elsewhere).WithHint("its folder is no longer in %s: %s", layout.Working, strings.Join(elsewhere, ", "))
	}
	return nil, missing.WithHint("GET /api/project/deliverables lists them")
}

func (a *deliverableAnswer) readStatus(c *call, d workspace.Deliverable) error {
	if c.o.Projects.Transitions == nil {
		return fault.New(fault.NotFound, "this server does not look into projects")
	}
	s, err := statusfile.Read(d, c.o.Projects.Transitions.Bytes)
	if err != nil {
		return err
	}
	a.Status = new(s.View(nil))
	a.ETags[layout.StatusFile] = s.ETag()
	for _, rule := range lifecycle.Transitions(s.Status.State()) {
		a.Transitions = append(a.Transitions, transitionChoice{
			To: rule.To, Actors: rule.Actors, Approval: rule.Approval != "",
			Operator: !c.o.Projects.OpenTransitions && (gated(string(rule.To)) || c.o.Token != "" && slices.Contains(rule.Actors, lifecycle.Human)),
			Lacks:    orEmpty(s.Lacks(rule.To)),
		})
	}
	return nil
}

// readFindings reads those of the validation, and of the register.
func (a *deliverableAnswer) readFindings(c *call, s *index.Snapshot, folder *scan.Folder) error {
	// The digest makes the validation say which command removes a finding.
	_, err := validate.Project(c.ctx(), a.ProjectRoot, s.Result, validate.Options{
		FileBytes: c.o.Projects.FileBytes, Today: c.o.Clock().Format(time.DateOnly), Only: &finding.Filter{Deliverables: []string{folder.ID}},
		Digest: finding.NewDigest(1), Each: func(found []finding.Finding) { a.addFindings(found, folder) },
	})
	if err != nil {
		return noReport(a.ProjectRoot, err)
	}
	slices.SortStableFunc(a.Findings, func(x, y placedFinding) int {
		return cmp.Or(strings.Compare(string(x.Severity), string(y.Severity)), strings.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Row, y.Row))
	})
	return nil
}

// addFindings takes over what is about the folder. Two packages may have a deliverable of
// one number, and findings of the project name the deliverable elsewhere.
func (a *deliverableAnswer) addFindings(found []finding.Finding, folder *scan.Folder) {
	for _, f := range found {
		in := f.Path == folder.Path || strings.HasPrefix(f.Path, folder.Path+"/")
		if !in && strings.Contains(f.Path, folder.ID) {
			continue
		}
		if in && path.Base(f.Path) == layout.RegisterFile {
			a.Register.Findings++
		}
		if len(a.Findings) == maxDeliverableFindings {
			a.MoreFound++
			continue
		}
		one := placedFinding{Finding: f}
		if f.Remedy.Command != "" {
			one.Command = f.Remedy.Line(a.ProjectRoot, false, folder.ID)
		}
		a.Findings = append(a.Findings, one)
	}
}

func (a *deliverableAnswer) readRegister(c *call, d workspace.Deliverable) error {
	if c.o.Projects.Registers == nil {
		return errNoRegisters
	}
	file, err := c.o.Projects.Registers.Read(d)
	if fault.Is(err, fault.RegisterNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	a.ETags[layout.RegisterFile] = quoted(file.Tag)
	a.Register.Exists, a.Register.Rows = true, file.Len()
	for i := range file.Len() {
		if file.Row(i).Active() {
			a.Register.Active++
		}
	}
	a.Register.Retired = a.Register.Rows - a.Register.Active
	return nil
}

func (a *deliverableAnswer) readProposals(c *call, folder *scan.Folder) error {
	if c.o.Projects.Proposals == nil {
		return nil
	}
	all, err := c.o.Projects.Proposals.List(c.ctx(), a.ProjectRoot, false)
	for _, p := range all {
		if p.Path == folder.Path {
			a.Proposals = append(a.Proposals, p)
		}
	}
	return err
}

// readBlockers reads who waits for whom, one step up and down.
func (a *deliverableAnswer) readBlockers(c *call, s *index.Snapshot, folder *scan.Folder) error {
	g, err := once(s, graphKey{}, func() (*graphOf, error) { return dependencies(context.WithoutCancel(c.ctx()), s) })
	if err != nil {
		return noIndex(a.ProjectRoot, err)
	}
	part, ok := g.Around(folder.ID)
	if !ok {
		return nil
	}
	states := map[string]string{}
	for _, f := range s.Deliverables {
		states[f.ID] = strings.ToUpper(f.Status)
	}
	for _, r := range part.Analyse(c.ctx()).Readiness {
		for _, b := range r.Blockers {
			switch {
			case r.Deliverable == folder.ID:
				a.Upstream = append(a.Upstream, b)
			case b.Deliverable == folder.ID:
				a.Downstream = append(a.Downstream, blockedBy{Deliverable: r.Deliverable, State: states[r.Deliverable], DependencyID: b.DependencyID, Type: b.Type})
			}
		}
	}
	return nil
}

func (a *deliverableAnswer) readSessions(c *call, folder *scan.Folder) error {
	if c.o.Overview == nil {
		return nil
	}
	all, more, err := c.o.Overview.Touching(c.ctx(), a.ProjectRoot, folder.Path)
	a.Sessions, a.MoreTouched = append(a.Sessions, all...), more
	return err
}
