package api

import (
	"net/http"
	"path"
	"path/filepath"
	"strings"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// start is what a request to start asks for.
type start struct {
	run.Request
	root, file, resume string
	dry                bool
}

// startMembers are those of a startBody; what is not of a resumption is fixed since
// the run began.
var startMembers = []string{"projectRoot", "resume", "onQuestion", "path", "input", "model", "mode", "allow", "dryRun"}

func readStart(f fields) start {
	s := start{root: f.required("projectRoot"), resume: f.optional("resume"), dry: f.flag("dryRun")}
	s.Input, s.Model, s.Allow = f.any("input"), f.optional("model"), f.strings("allow")
	s.Mode = f.choice("mode", "direct", "dontAsk", "acceptEdits", "plan")
	s.OnQuestion = f.choice("onQuestion", turn.OnQuestionWait, turn.OnQuestionRefuse)
	if s.resume == "" {
		s.file = f.required("path")
	} else {
		s.file = f.optional("path")
		for _, name := range startMembers[3:] {
			goes := name == "path" || name == "dryRun" && s.file != ""
			if f.object.get(name).kind != absent && !goes {
				f.bad(name, "does not go with resume: the run goes on as it began")
			}
		}
	}
	f.only(startMembers...)
	return s
}

// serveStartRun answers as soon as the run is on record; it goes on by itself.
func serveStartRun(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	s := readStart(f)
	if err := f.err(); err != nil {
		return err
	}
	if s.Project, err = h.checkProject(s.root); err != nil {
		return err
	}
	if h.o.Workflows.Runs == nil {
		return errNoRuns
	}
	if s.resume != "" {
		return h.resumeRun(w, r, s)
	}
	if err := h.mayAllow(r, s.Allow); err != nil {
		return err
	}
	if s.File, err = h.workflowFile(s.Project, s.file); err != nil {
		return err
	}
	s.Within = s.Project
	if s.dry {
		plan, err := h.o.Workflows.Runs.Plan(r.Context(), s.Request)
		if err != nil {
			return err
		}
		return reply(w, http.StatusOK, startAnswer{Plan: plan})
	}
	if h.draining.Load() {
		return errDraining
	}
	begun, err := h.o.Workflows.Runs.Start(r.Context(), s.Request)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, startAnswer{Run: &begun})
}

func (h *Handler) resumeRun(w *response, r *http.Request, s start) error {
	allow, err := h.o.Workflows.Runs.Allowed(r.Context(), s.Project, s.resume)
	if err != nil {
		return err
	}
	if err := h.mayAllow(r, allow); err != nil {
		return err
	}
	if h.draining.Load() {
		return errDraining
	}
	if s.file != "" {
		return h.correctRun(w, r, s)
	}
	begun, err := h.o.Workflows.Runs.Resume(r.Context(), s.Project, s.resume, s.OnQuestion)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, startAnswer{Run: &begun})
}

// correctRun takes a run up again with a corrected file of the project.
func (h *Handler) correctRun(w *response, r *http.Request, s start) (err error) {
	c := run.Corrected{Project: s.Project, ID: s.resume, Within: s.Project, OnQuestion: s.OnQuestion}
	if c.File, err = h.workflowFile(s.Project, s.file); err != nil {
		return err
	}
	if s.dry {
		kept, err := h.o.Workflows.Runs.PlanCorrect(r.Context(), c)
		if err != nil {
			return err
		}
		return reply(w, http.StatusOK, startAnswer{Kept: kept})
	}
	begun, err := h.o.Workflows.Runs.Correct(r.Context(), c)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, startAnswer{Run: &begun})
}

var errDraining = fault.New(fault.Overloaded, "the server is shutting down")

// mayAllow lets only the operator say which calls need no question.
func (h *Handler) mayAllow(r *http.Request, allow []string) error {
	if len(allow) == 0 {
		return nil
	}
	token, has := bearer(r)
	if has && h.o.Operator.is(token) || !has && h.o.Operator.holds(r) {
		return nil
	}
	return forbidden("operator", "rules that allow calls need the operator's authority").
		WithHint("leave allow out and answer the questions, or start the run with belay run --allow on the server's machine")
}

// workflowFile is the path of a workflow file that a request names: one in the
// project that is not hidden, by its own name and also once its links are followed.
// Who opens it sees to it that it is still there.
func (h *Handler) workflowFile(root, name string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", fault.New(fault.InvalidRequest, "path %s", why).With("field", "path").With("path", clip(name)).
			WithHint("list the project's workflows with GET /api/workflow/list")
	}
	rel := path.Clean(inside(root, name))
	if !filepath.IsLocal(filepath.FromSlash(rel)) || rel == "." {
		return refuse("must be a file in the project")
	}
	if why := h.untouchable(root, rel); why != "" {
		return refuse(why)
	}
	whole, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", noIndex(root, err)
	}
	file, err := filepath.EvalSymlinks(filepath.Join(whole, filepath.FromSlash(rel)))
	if err != nil {
		return "", fault.New(fault.NotFound, "the project has no file %q", clip(rel)).With("field", "path").
			WithHint("list the project's workflows with GET /api/workflow/list").Because(err)
	}
	back, err := filepath.Rel(whole, file)
	if err != nil || !filepath.IsLocal(back) {
		return refuse("is a link that leads out of the project")
	}
	if why := h.untouchable(root, filepath.ToSlash(back)); why != "" {
		return refuse(why)
	}
	return file, nil
}

// untouchable says why a file of the project is none of a caller's, "" where it is.
func (h *Handler) untouchable(root, rel string) string {
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".belay" || part == ".git" {
			return "must not be one of belay's or git's own files"
		}
	}
	if hides := h.hides(root); hides != nil && hides(rel) {
		return "is hidden in this project"
	}
	return ""
}
