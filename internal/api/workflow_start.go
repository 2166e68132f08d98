package api

import (
	"context"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// check says what does not go with resume: it is fixed since the run began.
func (b *startBody) check(f fields) {
	if b.Resume == "" {
		if k := f.kind("path"); k == 0 || k == '"' && b.Path == "" {
			f.text("path", "", true)
		}
		return
	}
	for _, name := range []string{"input", "model", "mode", "allow", "dryRun"} {
		if f.kind(name) != 0 && (name != "dryRun" || b.Path == "") {
			f.bad(name, "does not go with resume: the run goes on as it began")
		}
	}
}

// startRun answers as soon as the run is on record; it goes on by itself.
func startRun(c *call, b *startBody) (a startAnswer, err error) {
	root, err := runsOf(c, b.ProjectRoot)
	if err != nil {
		return a, err
	}
	key, err := idempotencyKeyOf(c)
	if err != nil {
		return a, err
	}
	if key != "" && b.Resume != "" {
		return a, fault.Invalid([]fault.Problem{{Field: "Idempotency-Key", Message: "does not go with resume: send it without the key, and look at the run first if you do not know whether it was taken up"}})
	}
	allow := b.Allow
	if b.Resume != "" {
		if allow, err = c.o.Workflows.Runs.Allowed(c.ctx(), root, b.Resume); err != nil {
			return a, err
		}
	}
	if err := c.mayAllow(c.r, allow); err != nil {
		return a, err
	}
	if c.draining.Load() && (b.Resume != "" || !b.DryRun) {
		return a, errDraining
	}
	file := ""
	if b.Path != "" {
		if file, err = c.workflowFile(root, b.Path); err != nil {
			return a, err
		}
	}
	runs := c.o.Workflows.Runs
	correct := run.Corrected{Project: root, ID: b.Resume, File: file, Within: root, OnQuestion: b.OnQuestion}
	start := run.Request{Project: root, File: file, Within: root, Key: key, Input: b.Input, Model: b.Model, Mode: b.Mode, OnQuestion: b.OnQuestion, Allow: b.Allow}
	var begun run.Summary
	switch {
	case b.DryRun && b.Resume != "":
		a.Kept, err = runs.PlanCorrect(c.ctx(), correct)
		return a, err
	case b.DryRun:
		a.Plan, err = runs.Plan(c.ctx(), start)
		return a, err
	case b.Resume != "" && file != "":
		begun, err = runs.Correct(c.ctx(), correct)
	case b.Resume != "":
		begun, err = runs.Resume(c.ctx(), root, b.Resume, b.OnQuestion)
	default:
		begun, err = runs.Start(c.ctx(), start)
	}
	return startAnswer{Run: &begun}, err
}

var errDraining = fault.New(fault.Overloaded, "the server is shutting down")

// mayAllow lets only the operator say which calls need no question.
func (h *Handler) mayAllow(r *http.Request, allow []string) error {
	if len(allow) == 0 {
		return nil
	}
	token, has := bearer(r)
	if has && h.o.Operator.is(token) || !has && h.o.Operator.hasCookie(r) {
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
		return "", fault.New(fault.InvalidRequest, "path %s", why).With("field", "path").With("path", fault.Clip(name)).
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
		return "", fault.New(fault.NotFound, "the project has no file %q", fault.Clip(rel)).With("field", "path").
			WithHint("list the project's workflows with GET /api/workflow/list").Because(err)
	}
	back, err := filepath.Rel(whole, file)
	if err != nil || !filepath.IsLocal(back) {
		return refuse("is a link that leads out of the project")
	}
	if why := h.untouchable(root, filepath.ToSlash(back)); why != "" {
		return refuse(why)
	}
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return refuse("must be a file, no folder or pipe")
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

// cancelPatience is how long a request to cancel waits for the run's end.
const cancelPatience = 20 * time.Second

func cancelRun(c *call, b *projectBody) (summaryAnswer, error) {
	root, err := runsOf(c, b.ProjectRoot)
	if err != nil {
		return summaryAnswer{}, err
	}
	id := c.id()
	// What was asked for is done, also where the caller leaves before its end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx()), cancelPatience)
	defer cancel()
	if err := c.o.Workflows.Runs.Cancel(ctx, root, id); err != nil {
		if ctx.Err() != nil {
			err = fault.New(fault.RunInProgress, "the run %s was asked to stop, and has not yet", id).With("runId", id).
				WithHint("look at it again with GET /api/workflow/runs/%s", id).Because(err)
		}
		return summaryAnswer{}, err
	}
	return summaryOf(c, root)
}
