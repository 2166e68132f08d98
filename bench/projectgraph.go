package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"belay/bench/measure"
	"belay/internal/workspace/graph"
)

// The graph that is analysed: what a register of 20 rows in each of 10,000
// deliverables could make, with a few circles.
const (
	graphNodes = 10_000
	graphEdges = 200_000
)

// projectGraph measures what the graph says as a whole, in this process, beside one
// pass over the rows that it is made of.
func (b *bench) projectGraph(ctx context.Context) ([]measure.Figure, error) {
	nodes, deps := dependencies()
	var all measure.Series
	for round := range b.o.Rounds + 1 {
		pass, _ := elapsed(func() error { count(deps); return nil })
		analysis, err := elapsed(func() error {
			a := graph.Build(nodes, deps).Analyse(ctx)
			if len(a.Cycles) == 0 || len(a.Order) == 0 {
				return fmt.Errorf("%d circles, %d steps", len(a.Cycles), len(a.Order))
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		if round > 0 {
			all.AddBoth(pass, analysis)
		}
	}
	m := all.Figure("project", "the graph of 200,000 dependencies: circles, order, what is ready, what blocks", "ms", measure.AtMost(200).Beside(6.82))
	m.Note = "beside one pass that counts the dependencies of each deliverable"
	return []measure.Figure{m}, nil
}

func dependencies() ([]graph.Node, []graph.Dependency) {
	random := rand.New(rand.NewPCG(1, 2))
	nodes := make([]graph.Node, graphNodes)
	for i := range nodes {
		nodes[i] = graph.Node{ID: fmt.Sprintf("DEL-%03d-%02d", i/99+1, i%99+1), State: "OPEN"}
	}
	deps := make([]graph.Dependency, graphEdges)
	for i := range deps {
		from := random.IntN(graphNodes - 1)
		to := from + 1 + random.IntN(min(300, graphNodes-1-from))
		if random.IntN(5_000) == 0 {
			from, to = to, from
		}
		deps[i] = graph.Dependency{
			ID: fmt.Sprintf("DEP-%06d", i), Host: nodes[to].ID, Row: i%20 + 2, Class: "EXECUTION", Direction: "UPSTREAM", Type: "PREREQUISITE",
			TargetType: "DELIVERABLE", Target: nodes[from].ID, Satisfaction: "TBD",
		}
	}
	return nodes, deps
}

// count is the one pass.
func count(deps []graph.Dependency) map[string]int {
	of := make(map[string]int, graphNodes)
	for i := range deps {
		of[deps[i].Host]++
		of[deps[i].Target]++
	}
	return of
}
