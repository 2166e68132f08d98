package graph

import (
	"cmp"
	"context"
	"slices"
)

// cycleSteps bounds the work of looking for cycles: a graph of forty deliverables
// may have more of them than anybody could read.
const cycleSteps = 4_000_000

// cycles returns up to limit elementary cycles, the short ones first, each from
// its smallest id on, and whether there may be more. When there are more, the
// shortest cycle through every deliverable comes before the others: that is what
// a person can mend.
func (g *Graph) cycles(ctx context.Context, parts [][]int32, partOf []int32, limit int) (found [][]int32, more bool) {
	s := &search{
		g: g, ctx: ctx, partOf: partOf, limit: limit, work: cycleSteps,
		within: make([]bool, len(g.nodes)), blocked: make([]bool, len(g.nodes)), waiting: make([][]int32, len(g.nodes)),
	}
	var circular [][]int32
	for _, part := range parts {
		if g.circular(part) {
			circular = append(circular, part)
		}
	}
	for _, part := range circular {
		for _, start := range part {
			if s.over() {
				break
			}
			s.from(start)
		}
	}
	found = s.found
	if s.cut {
		found = slices.Concat(g.shortest(ctx, circular, partOf, limit), found)
	}
	slices.SortFunc(found, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	found = slices.CompactFunc(found, slices.Equal)
	return found[:min(len(found), limit)], s.cut || len(found) > limit
}

// search is Johnson's algorithm: it enumerates the elementary cycles of a graph
// in time proportional to its size for each. Every cycle is found from its
// smallest node, through larger ones only.
type search struct {
	g      *Graph
	ctx    context.Context
	partOf []int32
	limit  int
	work   int // steps that are left
	cut    bool
	found  [][]int32

	within  []bool // the nodes that lie on a way back to the start
	blocked []bool
	waiting [][]int32 // who is freed when a node is
	reset   []int32
}

// over reports whether the search has to end before it is complete.
func (s *search) over() bool {
	if len(s.found) >= s.limit || s.work <= 0 || s.ctx.Err() != nil {
		s.cut = true
	}
	return s.cut
}

// from finds the cycles whose smallest node is start.
func (s *search) from(start int32) {
	s.waysBack(start)
	type frame struct {
		node, edge int32
		closed     bool // a cycle was found through it
	}
	path := []frame{{node: start}}
	s.blocked[start] = true
	for len(path) > 0 {
		f := &path[len(path)-1]
		if after := s.g.next.of(f.node); int(f.edge) < len(after) && !s.over() {
			w := after[f.edge]
			f.edge++
			s.work--
			switch {
			case w == start:
				f.closed = true
				cycle := make([]int32, len(path))
				for i, p := range path {
					cycle[i] = p.node
				}
				s.work -= len(cycle)
				s.found = append(s.found, cycle)
			case s.within[w] && !s.blocked[w]:
				s.blocked[w] = true
				path = append(path, frame{node: w})
			}
			continue
		}
		done := *f
		path = path[:len(path)-1]
		if done.closed {
			s.free(done.node)
			if len(path) > 0 {
				path[len(path)-1].closed = true
			}
			continue
		}
		for _, w := range s.g.next.of(done.node) {
			if s.within[w] && !slices.Contains(s.waiting[w], done.node) {
				s.waiting[w] = append(s.waiting[w], done.node)
			}
		}
	}
	for _, v := range append(s.reset, start) {
		s.within[v], s.blocked[v], s.waiting[v] = false, false, s.waiting[v][:0]
	}
	s.reset = s.reset[:0]
}

// free lets a node be entered again, and those that waited for it.
func (s *search) free(v int32) {
	todo := []int32{v}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !s.blocked[v] {
			continue
		}
		s.blocked[v] = false
		s.work--
		todo = append(todo, s.waiting[v]...)
		s.waiting[v] = s.waiting[v][:0]
	}
}

// waysBack marks the nodes from which start can be reached through larger ones.
func (s *search) waysBack(start int32) {
	todo := []int32{start}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, w := range s.g.prev.of(v) {
			s.work--
			if w > start && !s.within[w] && s.partOf[w] == s.partOf[start] {
				s.within[w] = true
				s.reset = append(s.reset, w)
				todo = append(todo, w)
			}
		}
	}
}

// shortest returns the shortest cycle through each node, up to limit of them, in
// the order of the nodes.
func (g *Graph) shortest(ctx context.Context, circular [][]int32, partOf []int32, limit int) [][]int32 {
	var all [][]int32
	work := cycleSteps
	before := make([]int32, len(g.nodes)) // the node before on the way, plus one
	for _, part := range circular {
		for _, start := range part {
			if len(all) >= limit || work <= 0 || ctx.Err() != nil {
				return all
			}
			clear(before)
			work -= len(before) / 64
			queue := []int32{start}
			for at := 0; at < len(queue); at++ {
				v := queue[at]
				after := g.next.of(v)
				work -= len(after)
				if slices.Contains(after, start) {
					all = append(all, wayTo(before, start, v))
					break
				}
				for _, w := range after {
					if before[w] == 0 && w != start && partOf[w] == partOf[start] {
						before[w] = v + 1
						queue = append(queue, w)
					}
				}
			}
		}
	}
	return all
}

// wayTo is the cycle that goes from start to v and back, from its smallest node on.
func wayTo(before []int32, start, v int32) []int32 {
	cycle := []int32{v}
	for v != start {
		v = before[v] - 1
		cycle = append(cycle, v)
	}
	slices.Reverse(cycle)
	least := slices.Index(cycle, slices.Min(cycle))
	return slices.Concat(cycle[least:], cycle[:least])
}
