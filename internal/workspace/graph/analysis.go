package graph

import (
	"context"
	"slices"
	"strings"
)

// Analysis is what the graph as a whole says.
type Analysis struct {
	// Components are the groups of deliverables that depend on each other: first those
	// of the blocking dependencies, then the others. One of the others may contain
	// several of the first.
	Components []Component `json:"components"`
	// Cycles has a shortest cycle through each deliverable of each component, in the
	// order of the components and the short ones first. It is no enumeration: there
	// may be more cycles than anybody could read. Each cycle ends where it began,
	// without naming the first deliverable again.
	Cycles []Cycle `json:"cycles"`
	// Order is an order in which everything comes after what it needs. Those that
	// depend on each other share a step; otherwise a step is one deliverable.
	Order [][]string `json:"order"`
	// Unresolved are the targets that are not deliverables of this project though
	// they are said to be.
	Unresolved []Unresolved `json:"unresolvedNodes"`
	Readiness  []Readiness  `json:"readiness"`
}

// Unresolved is a target that the project does not have.
type Unresolved struct {
	Target string `json:"target"`
	// By are the rows that name it.
	By []string `json:"by"`
}

// Analyse looks at the whole graph. When ctx ends, no more cycles are looked for;
// the components count what is missing.
func (g *Graph) Analyse(ctx context.Context) *Analysis {
	parts, partOf := strong(g.next)
	ordered := g.arrange(parts, partOf)
	a := &Analysis{
		Components: []Component{}, Cycles: []Cycle{}, Order: make([][]string, len(ordered)),
		Unresolved: g.unresolved(), Readiness: g.readiness(),
	}
	at := make([]int32, len(ordered)) // where a part is in the order
	for i, part := range ordered {
		a.Order[i] = g.ids(part)
		at[partOf[part[0]]] = int32(i)
	}
	for v := range partOf {
		partOf[v] = at[partOf[v]]
	}
	for i, c := range g.components(ctx, ordered, partOf) {
		a.Components = append(a.Components, Component{Deliverables: g.ids(c.part), Blocking: c.blocking, WithoutCycle: c.without})
		for _, cycle := range c.cycles {
			a.Cycles = append(a.Cycles, Cycle{Deliverables: g.ids(cycle), Blocking: c.blocking, Component: i})
		}
	}
	return a
}

// OnlyBlocking returns a copy of a without the components, and their cycles, that
// are not of blocking dependencies alone.
func (a *Analysis) OnlyBlocking() *Analysis {
	b := *a
	b.Components = slices.DeleteFunc(slices.Clone(a.Components), func(c Component) bool { return !c.Blocking })
	b.Cycles = slices.DeleteFunc(slices.Clone(a.Cycles), func(c Cycle) bool { return !c.Blocking })
	return &b
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
	slices.SortFunc(all, func(a, b Unresolved) int { return strings.Compare(a.Target, b.Target) })
	return all
}
