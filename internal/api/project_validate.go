package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/index"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/validate"
)

// validateKey and lintKey are under which a snapshot keeps its reports: what is a date
// in the future depends on the day.
type (
	validateKey struct{ today string }
	lintKey     struct{ today string }
)

// snapshotOf is what a project holds, and the path by which it was asked for.
type snapshotOf struct {
	*index.Snapshot
	root string
}

// noReport is the error of a project on which no report is made.
func noReport(root string, err error) error {
	if own := (*fault.Error)(nil); errors.As(err, &own) {
		return err
	}
	return noIndex(root, err)
}

// filterParams select the findings of a report.
var filterParams = []param{
	{in: "query", name: "deliverable", doc: "only findings about this deliverable, by its id, key, folder or label; several with commas"},
	{in: "query", name: "package", doc: "only findings about this package and what lies in it, by its id, folder or label; several with commas"},
	{in: "query", name: "code", doc: "only findings of this code; several with commas"},
}

// filterOf reads the parameters that select findings; nil where there are none.
func filterOf(q map[string]string, rules []finding.Rule) (*finding.Filter, error) {
	list := func(name string) []string {
		if trim(q[name]) == "" {
			return nil
		}
		return []string{q[name]}
	}
	return finding.NewFilter(list("deliverable"), list("package"), list("code"), rules)
}

func serveValidate(c *call) error {
	today := c.o.Clock().UTC().Format(time.DateOnly)
	return serveReport(c, validate.AllRules(), validateKey{today}, func(ctx context.Context, s snapshotOf, only *finding.Filter) (any, error) {
		return validate.Project(ctx, s.root, s.Result, validate.Options{FileBytes: c.o.Projects.FileBytes, Today: today, Only: only})
	})
}

func serveLint(c *call) error {
	today := c.o.Clock().UTC().Format(time.DateOnly)
	return serveReport(c, register.Rules(), lintKey{today}, func(ctx context.Context, s snapshotOf, only *finding.Filter) (any, error) {
		return registerlint.Lint(ctx, s.root, s.Result, registerlint.Options{Today: today, Only: only})
	})
}

// serveReport answers with the report that judge makes of a project. The snapshot
// keeps the whole report; a selection is made anew for each request, as there is no
// end of them.
func serveReport(c *call, rules []finding.Rule, key any, judge func(context.Context, snapshotOf, *finding.Filter) (any, error)) error {
	root, q, err := c.projectOf()
	if err != nil {
		return err
	}
	only, err := filterOf(q, rules)
	if err != nil {
		return err
	}
	s, err := c.current(c.r, root)
	if err != nil {
		return err
	}
	of := snapshotOf{s, root}
	if only != nil {
		report, err := judge(c.ctx(), of, only)
		if err != nil {
			return noReport(root, err)
		}
		return reply(c.w, http.StatusOK, report)
	}
	// Others wait for the same report: it must not end with the first one's request.
	ctx := context.WithoutCancel(c.ctx())
	return noReport(root, replyKept(c.w, c.r, s, key, func() (any, error) { return judge(ctx, of, nil) }))
}
