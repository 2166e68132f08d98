package graph

import (
	"context"
	"slices"
)

// MaxCycles is how many elementary cycles an [Analysis] lists at most.
const MaxCycles = 1000

// Analysis is what the graph as a whole says.
type Analysis struct {
	// Cycles are elementary cycles, the shortest first; each ends where it began,
	// without naming the first deliverable again.
	Cycles []Cycle `json:"cycles"`
	// MoreCycles is set when there may be cycles that are not listed.
	MoreCycles bool `json:"moreCycles,omitempty"`
	// Components are the groups of deliverables that depend on each other in
	// circles: the strongly connected parts of more than one, or of one that
	// depends on itself.
	Components [][]string `json:"components"`
	// Order is an order in which everything comes after what it needs. Those that
	// depend on each other in circles share a step; otherwise a step is one
	// deliverable.
	Order [][]string `json:"order"`
	// Unresolved are the targets that are not deliverables of this project though
	// they are said to be.
	Unresolved []Unresolved `json:"unresolvedNodes"`
	Readiness  []Readiness  `json:"readiness"`
}

// Cycle is an elementary cycle.
type Cycle struct {
	Deliverables []string `json:"deliverables"`
	// Blocking is set when every step of it blocks: nobody in the cycle can begin.
	Blocking bool `json:"blocking,omitempty"`
}

// Unresolved is a target that the project does not have.
type Unresolved struct {
	Target string `json:"target"`
	// By are the rows that name it.
	By []string `json:"by"`
}

// Analyse looks at the whole graph. It is cut short when ctx ends; the cycles are
// then incomplete, and say so.
func (g *Graph) Analyse(ctx context.Context) *Analysis {
	parts, partOf := g.strong()
	a := &Analysis{
		Cycles: []Cycle{}, Components: [][]string{}, Order: make([][]string, len(parts)),
		Unresolved: g.unresolved(), Readiness: g.readiness(),
	}
	for i, part := range g.arrange(parts, partOf) {
		a.Order[i] = g.ids(part)
		if g.circular(part) {
			a.Components = append(a.Components, a.Order[i])
		}
	}
	cycles, more := g.cycles(ctx, parts, partOf, MaxCycles)
	a.MoreCycles = more
	waits := g.waits(partOf, len(cycles) > 0)
	for _, c := range cycles {
		all := true
		for i, v := range c {
			all = all && waits[pair{v, c[(i+1)%len(c)]}]
		}
		a.Cycles = append(a.Cycles, Cycle{Deliverables: g.ids(c), Blocking: all})
	}
	return a
}

// waits are the arrows within circles whose end must wait for its beginning;
// none when they are not wanted.
func (g *Graph) waits(partOf []int32, wanted bool) map[pair]bool {
	if !wanted {
		return nil
	}
	pairs := map[pair]bool{}
	for i := range g.deps {
		if from, to := g.from[i], g.to[i]; from >= 0 && to >= 0 && partOf[from] == partOf[to] && g.deps[i].blocks() {
			pairs[pair{from, to}] = true
		}
	}
	return pairs
}

func (g *Graph) unresolved() []Unresolved {
	by := map[string][]string{}
	for i := range g.deps {
		d := &g.deps[i]
		if d.Class == classExecution && d.TargetType == targetDeliverable && g.find(d.Target) < 0 {
			by[d.Target] = append(by[d.Target], d.Host+" "+d.ID)
		}
	}
	all := make([]Unresolved, 0, len(by))
	for target, rows := range by {
		slices.Sort(rows)
		all = append(all, Unresolved{Target: target, By: rows})
	}
	slices.SortFunc(all, func(a, b Unresolved) int {
		if a.Target < b.Target {
			return -1
		}
		return 1
	})
	return all
}
