package api

import (
	"context"
	"net/http"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/graph/load"
	"belay/internal/workspace/index"
	"belay/internal/workspace/resolve"
)

// graphKey is under which a snapshot keeps the graph that was made of it, and
// reportKey the body that answers for it: all of it, or what is around a
// deliverable, with the circles that block or with all of them.
type (
	graphKey  struct{}
	reportKey struct {
		around   string
		blocking bool
	}
)

// graphOf is the dependency graph of a project, made once for a snapshot.
type graphOf struct {
	*graph.Graph
	findings []finding.Finding
}

// graphAnswer is a project's dependencies with their analysis.
type graphAnswer struct {
	graph.Report
	// Impact is what a change to the deliverable reaches that was asked about.
	Impact *graph.Impact `json:"impact,omitempty"`
	// Findings are the registers that could not be read: their rows are missing.
	Findings []finding.Finding `json:"findings"`
}

func serveGraph(c *call) error {
	root, q, err := c.projectOf()
	if err != nil {
		return err
	}
	p := params{q: q}
	blocking := p.flag("blocking")
	if err := p.err(); err != nil {
		return err
	}
	s, err := c.current(c.r, root)
	if err != nil {
		return err
	}
	report := func(ctx context.Context, g *graph.Graph) graph.Report {
		report := graph.ReportOf(ctx, root, g)
		if blocking {
			report.Analysis = report.Analysis.OnlyBlocking()
		}
		return *report
	}
	// Others wait for the same graph: it must not end with the first one's request.
	g, err := once(s, graphKey{}, func() (*graphOf, error) { return dependencies(context.WithoutCancel(c.ctx()), s) })
	if err != nil {
		return noIndex(root, err)
	}
	if trim(q["impact"]) != "" {
		id, err := nodeOf(s, root, q["impact"])
		if err != nil {
			return err
		}
		part, impact, _ := g.Behind(id)
		return reply(c.w, http.StatusOK, graphAnswer{report(c.ctx(), part), impact, orEmpty(g.findings)})
	}
	around, part := "", g.Graph
	if trim(q["deliverable"]) != "" {
		if around, err = nodeOf(s, root, q["deliverable"]); err != nil {
			return err
		}
		part, _ = g.Around(around)
	}
	return replyKept(c.w, c.r, s, reportKey{around, blocking}, func() (any, error) {
		return graphAnswer{report(context.WithoutCancel(c.ctx()), part), nil, orEmpty(g.findings)}, nil
	})
}

func dependencies(ctx context.Context, s *index.Snapshot) (*graphOf, error) {
	g, unread, err := load.Graph(ctx, s.Root, s.Deliverables)
	if err != nil {
		return nil, err
	}
	return &graphOf{g, append(s.Unread(), unread...)}, nil
}

// nodeOf is the id of the deliverable that a name stands for. The graph of the same snapshot has it.
func nodeOf(s *index.Snapshot, root, name string) (string, error) {
	f, err := resolve.In(root, s.Result, nil).Deliverable(name)
	if err != nil {
		return "", err
	}
	return f.ID, nil
}
