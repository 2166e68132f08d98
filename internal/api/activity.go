package api

import (
	"time"

	"belay/internal/fault"
	"belay/internal/overview"
)

// activityDays is how far an answer goes back where the request does not say.
const activityDays = 30

// activityRoutes is the endpoint about what happened in a project.
func activityRoutes() []route {
	return []route{
		{method: get, path: "/api/project/activity", name: "getActivity", summary: "What happened in a project, the latest first: changes that turns applied or that were taken back, transitions, edits of registers, and runs that ended.",
			params: []param{workingRoot,
				{in: "query", name: "since", doc: "the time after which it happened, as RFC 3339 writes it; 30 days ago without it"},
				{in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 200; 50 without it"},
				{in: "query", name: "cursor", doc: "the nextCursor of the page before"}},
			action: answers(getActivity), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
	}
}

func getActivity(c *call) (overview.Activity, error) {
	all, err := c.all()
	if err != nil {
		return overview.Activity{}, err
	}
	root, q, err := c.projectOf()
	if err != nil {
		return overview.Activity{}, err
	}
	o := overview.ActivityQuery{Project: root, Since: c.o.Clock().AddDate(0, 0, -activityDays), Cursor: q["cursor"]}
	p := params{q: q}
	if s := trim(q["since"]); s != "" {
		if o.Since, err = time.Parse(time.RFC3339, s); err != nil {
			p.bad("since", "must be a time such as 2026-01-02T03:04:05Z")
		}
	}
	o.Limit = p.limit(overview.DefaultPage, overview.MaxPage)
	if err := p.err(); err != nil {
		return overview.Activity{}, err
	}
	return all.Activity(c.ctx(), o)
}
