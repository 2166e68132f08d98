package graph

import (
	"cmp"
	"context"
	"slices"
)

// Limits of a search for cycles. A deliverable for which they leave no cycle is
// counted in [Component.WithoutCycle].
const (
	// cycleSteps is how many arrows are followed in one graph.
	cycleSteps = 40_000_000
	// cycleNames is how many deliverables the listed cycles of one graph name: about
	// a megabyte of text.
	cycleNames = 100_000
)

// Component is a group of deliverables that depend on each other: a strongly
// connected component of more than one, or of one that depends on itself.
type Component struct {
	Deliverables []string `json:"deliverables"`
	// Blocking is set for a component of the blocking dependencies alone: each of its
	// deliverables waits for another one of it.
	Blocking bool `json:"blocking,omitempty"`
	// WithoutCycle is how many of the deliverables have no cycle in [Analysis.Cycles]
	// because of a limit.
	WithoutCycle int `json:"withoutCycle,omitempty"`
}

// Cycle is a shortest cycle through one of its deliverables.
type Cycle struct {
	Deliverables []string `json:"deliverables"`
	// Blocking is set when every step of it blocks.
	Blocking bool `json:"blocking,omitempty"`
	// Component is the position of its component in [Analysis.Components].
	Component int `json:"component"`
}

// component is a [Component] that is being made, by nodes.
type component struct {
	part     []int32
	blocking bool
	cycles   [][]int32
	without  int
}

// components returns the components of the blocking dependencies, then those of all
// dependencies that are not one of the former as a whole. Parts and partOf are
// those of all dependencies. Both kinds are in the order of parts.
func (g *Graph) components(ctx context.Context, parts [][]int32, partOf []int32) []component {
	waits := g.blocking()
	waitParts, waitPartOf := strong(waits)
	slices.SortStableFunc(waitParts, func(a, b []int32) int {
		return cmp.Or(cmp.Compare(partOf[a[0]], partOf[b[0]]), cmp.Compare(a[0], b[0]))
	})
	var first, others []component
	for _, part := range waitParts {
		if circular(waits, part) {
			first = append(first, component{part: part, blocking: true})
		}
	}
	whole := map[int32]bool{} // parts of all dependencies that are in first
	for _, c := range first {
		if at := partOf[c.part[0]]; len(c.part) == len(parts[at]) {
			whole[at] = true
		}
	}
	for _, part := range parts {
		if circular(g.next, part) && !whole[partOf[part[0]]] {
			others = append(others, component{part: part})
		}
	}
	newSearch(ctx, waits, waitPartOf).fill(first)
	s := newSearch(ctx, g.next, partOf)
	s.fill(others)
	for i := range others {
		c := &others[i]
		// Those of blocking steps alone are listed with the first.
		c.cycles = slices.DeleteFunc(c.cycles, func(c []int32) bool { return along(waits, c) })
		if len(c.cycles) == 0 {
			c.cycles = s.across(c.part, waitPartOf)
		}
	}
	return append(first, others...)
}

// blocking are the arrows whose end must wait for its beginning.
func (g *Graph) blocking() lists {
	var pairs []pair
	for i := range g.deps {
		if from, to := g.from[i], g.to[i]; from >= 0 && to >= 0 && g.deps[i].blocks() {
			pairs = append(pairs, pair{from, to})
		}
	}
	return listsOf(pairs, len(g.nodes))
}

// along reports whether every step of a cycle is an arrow of next.
func along(next lists, cycle []int32) bool {
	for i, v := range cycle {
		if _, ok := slices.BinarySearch(next.of(v), cycle[(i+1)%len(cycle)]); !ok {
			return false
		}
	}
	return true
}
