package api

import (
	"context"
	"net/http"
	"path"

	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

// dependenciesBody is the body of a register that is written, for the reference.
type dependenciesBody struct {
	ProjectRoot     string              `json:"projectRoot" is:"free" doc:"absolute path of the project folder"`
	DeliverablePath string              `json:"deliverablePath" is:"free" doc:"absolute path of the deliverable's folder"`
	Rows            []map[string]string `json:"rows" doc:"every row of the register, each a value by header; null is an empty value. Rows are never deleted"`
}

// dependenciesAnswer is a register as clients get it: the compatible members first.
type dependenciesAnswer struct {
	ProjectRoot          string            `json:"projectRoot"`
	DeliverablePath      string            `json:"deliverablePath"`
	DependenciesFilePath string            `json:"dependenciesFilePath"`
	Headers              []string          `json:"headers"`
	Rows                 []register.Values `json:"rows"`
	Warnings             []string          `json:"warnings"`

	Findings []finding.Finding `json:"findings"`
	// Numbers are those of the rows in findings. They are absent where the first row is 2
	// and no number is left out.
	Numbers []int `json:"numbers,omitempty"`
	// SummaryProblem is why _DEPENDENCIES.md was not brought in line with what was
	// written.
	SummaryProblem string `json:"summaryProblem,omitempty"`
	// Warning says that the rows may have replaced somebody else's.
	Warning string `json:"warning,omitempty"`
}

// Registers reads and changes the dependency registers of projects.
type Registers interface {
	Read(ctx context.Context, d workspace.Deliverable) (registerfile.File, error)
	Put(ctx context.Context, d workspace.Deliverable, c registerfile.Change, rows []map[string]string) (registerfile.Result, error)
}

var _ Registers = (*registerfile.Files)(nil)

// errNoRegisters is the answer of a handler that was given no registers.
var errNoRegisters = notServed("does not look into registers")

// registerErrors are those of a register that is looked at, rowErrors of rows that
// are written.
var (
	registerErrors = errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableOutside, fault.DeliverableNotFound, fault.WorkspaceFileReadFailed})
	rowErrors      = []fault.Type{fault.ContentChanged, fault.PreconditionRequired, fault.InvalidSchema, fault.InvalidEnum, fault.InvalidClassification, fault.InvalidProvenance, fault.InvalidIdentity,
		fault.InvalidTarget, fault.InvalidDate, fault.InvalidCell, fault.DuplicateDependencyID, fault.Overloaded, fault.StorageFailure, fault.WorkspaceFailure}
)

// registerRoutes are the endpoints about dependency registers.
func registerRoutes() []route {
	folder := param{in: "query", name: "deliverablePath", required: true, doc: "absolute path of the deliverable's folder"}
	match := preconditions("the entity tag of the register that the change was decided by; another one now is CONTENT_CHANGED. A write without it carries a warning, or is PRECONDITION_REQUIRED where workspace.require_if_match is set")
	return []route{
		{method: get, path: "/api/working-root/deliverable/dependencies", name: "getDependencies", summary: "A deliverable's register of dependencies.",
			params: []param{workingRoot, folder}, action: action{answer: dependenciesAnswer{}, serve: serveDependencies}, tagged: true,
			errors: errorsOf(registerErrors, []fault.Type{fault.RegisterNotFound})},
		{method: put, path: "/api/working-root/deliverable/dependencies", name: "putDependencies", summary: "Write a deliverable's register: every row, as it is to be.",
			params: match,
			action: takes(putDependencies), wide: true,
			errors: errorsOf(registerErrors, rowErrors, []fault.Type{fault.RowDeletionRefused, fault.InvalidSatisfactionTransition})},
	}
}

// registerOf is the gate of a deliverable's register that a request names.
func (c *call) registerOf(projectRoot, folder string) (workspace.Deliverable, error) {
	if c.o.Projects.Registers == nil {
		return workspace.Deliverable{}, errNoRegisters
	}
	if _, err := settledProject(c, projectRoot); err != nil {
		return workspace.Deliverable{}, err
	}
	return workspace.FindDeliverable(projectRoot, folder)
}

func serveDependencies(c *call) error {
	q, err := query(c.r)
	if err != nil {
		return err
	}
	d, err := c.registerOf(wanted(byRoot, q[byRoot]), wanted("deliverablePath", q["deliverablePath"]))
	if err != nil {
		return err
	}
	file, err := c.o.Projects.Registers.Read(c.ctx(), d)
	if err != nil {
		return err
	}
	if unchanged(c, quoted(file.Tag)) {
		return nil
	}
	return reply(c.w, http.StatusOK, dependenciesOf(d, file, nil, nil))
}

// unchanged gives the answer an entity tag. Where the client has it already, it answers
// so and is true.
func unchanged(c *call, tag string) bool {
	c.w.Header()["Etag"] = []string{tag}
	if !hasTag(c.r.Header["If-None-Match"], tag) {
		return false
	}
	c.w.Header()["Cache-Control"] = headerRevalidate
	c.w.WriteHeader(http.StatusNotModified)
	return true
}

// dependenciesOf is a register as clients get it. Its warnings stand between those
// of the writer, and before them those of the file that was there.
func dependenciesOf(d workspace.Deliverable, file registerfile.File, before *register.Register, written []string) dependenciesAnswer {
	v := file.View()
	warnings := v.Warnings
	if before != nil {
		warnings = append(append(before.View().Warnings, written...), v.Warnings...)
	}
	name := path.Join(d.Rel, layout.RegisterFile)
	return dependenciesAnswer{
		ProjectRoot: d.Project, DeliverablePath: d.Path, DependenciesFilePath: file.Path, Headers: v.Headers, Rows: v.Rows,
		Warnings: orEmpty(warnings), Findings: orEmpty(file.Lint(name, path.Base(d.Rel))), Numbers: numbersOf(file.Register),
	}
}

// numbersOf are the numbers of a register's rows, nil where they count from 2.
func numbersOf(r *register.Register) (all []int) {
	if n := r.Len(); n == 0 || r.Row(n-1).Number() == n+1 {
		return nil
	}
	for i := range r.Len() {
		all = append(all, r.Row(i).Number())
	}
	return all
}

func quoted(tag string) string { return `"` + tag + `"` }

func putDependencies(c *call, b *dependenciesBody) (a dependenciesAnswer, err error) {
	d, err := c.registerOf(b.ProjectRoot, b.DeliverablePath)
	if err != nil {
		return a, err
	}
	match, err := matching(c.r)
	if err != nil {
		return a, err
	}
	if match == nil && c.o.Projects.RequireIfMatch {
		return a, fault.New(fault.PreconditionRequired, "the request has no If-Match, and this server demands it (workspace.require_if_match)").
			WithHint("GET the register, and send its ETag in If-Match; If-None-Match: * for a register that is new")
	}
	done, err := c.o.Projects.Registers.Put(c.ctx(), d, registerfile.Change{By: c.caller(c.r), Match: match}, b.Rows)
	if err != nil {
		return a, err
	}
	a = dependenciesOf(d, done.File, done.Before, done.Warnings)
	a.SummaryProblem = done.Summary
	if match == nil {
		a.Warning = warnUnconditional
	}
	c.w.Header()["Etag"] = []string{quoted(done.File.Tag)}
	return a, nil
}

// warnUnconditional is the warning about a write that says nothing of the content
// that it replaces.
const warnUnconditional = "without If-Match a write replaces rows that somebody else changed since you read them; send the ETag of the register in If-Match"

// caller is who sent a request, for the record.
func (h *Handler) caller(r *http.Request) string {
	token, has := bearer(r)
	switch {
	case has && h.o.Operator.is(token), !has && h.o.Operator.hasCookie(r):
		return byOperator
	case has:
		return byMember
	}
	return byNobody
}
