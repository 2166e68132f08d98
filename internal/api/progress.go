package api

import (
	"context"
	"time"

	"belay/internal/fault"
	"belay/internal/workspace/progress"
)

// progressKey is under which a snapshot keeps where its project stands on a day.
type progressKey struct{ today string }

// progressRoutes is the endpoint about where a project stands.
func progressRoutes() []route {
	return []route{
		{method: get, path: "/api/project/progress", name: "getProgress", summary: "Where a project stands: for each deliverable since when it is in its state, what it waits for and how many findings it has; and the commands for most of the findings.",
			params: []param{workingRoot}, action: action{answer: progress.Report{}, serve: serveProgress}, tagged: true,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.Overloaded})},
	}
}

func serveProgress(c *call) error {
	root, s, err := snapshot(c)
	if err != nil {
		return err
	}
	// Others wait for the same report: it must not end with the first one's request.
	ctx := context.WithoutCancel(c.ctx())
	today := c.o.Clock().UTC().Format(time.DateOnly)
	err = replyKept(c.w, c.r, s, progressKey{today}, func() (any, error) {
		g, err := once(s, graphKey{}, func() (*graphOf, error) { return dependencies(ctx, s) })
		if err != nil {
			return nil, err
		}
		return progress.Of(ctx, root, s.Result, g.Graph, len(g.findings), progress.Options{FileBytes: c.o.Projects.FileBytes, Today: today})
	})
	return noReport(root, err)
}
