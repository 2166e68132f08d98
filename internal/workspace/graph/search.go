package graph

import (
	"cmp"
	"context"
	"slices"
)

// search looks for a shortest cycle through each node of components.
type search struct {
	ctx    context.Context
	next   lists
	partOf []int32
	steps  int // that are left
	names  int // that are left

	// least is, for each node, the length of the shortest cycle through it that was
	// found, 0 for none.
	least []int32
	// before is the node before on the way, in the round that seen names.
	before, seen []int32
	round        int32
	queue        []int32
}

func newSearch(ctx context.Context, next lists, partOf []int32) *search {
	n := len(partOf)
	return &search{
		ctx: ctx, next: next, partOf: partOf, steps: cycleSteps, names: cycleNames,
		least: make([]int32, n), before: make([]int32, n), seen: make([]int32, n),
	}
}

// fill looks for the cycles of all components. A large component must not leave the
// others without: the small ones come first.
func (s *search) fill(all []component) {
	bySize := make([]*component, len(all))
	for i := range all {
		bySize[i] = &all[i]
	}
	slices.SortStableFunc(bySize, func(a, b *component) int { return cmp.Compare(len(a.part), len(b.part)) })
	for _, c := range bySize {
		s.component(c)
		slices.SortFunc(c.cycles, func(a, b []int32) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	}
}

func (s *search) component(c *component) {
	ring := s.isRing(c.part)
	for _, v := range c.part {
		if s.steps <= 0 || s.names <= 0 || s.ctx.Err() != nil {
			break
		}
		cycle := s.through(v, s.least[v], anyNode)
		if cycle == nil || len(cycle) > s.names {
			continue // one that is as short is listed, or there is no room
		}
		s.names -= len(cycle)
		for _, w := range cycle {
			if n := int32(len(cycle)); s.least[w] == 0 || n < s.least[w] {
				s.least[w] = n
			}
		}
		c.cycles = append(c.cycles, cycle)
		if ring {
			break
		}
	}
	for _, v := range c.part {
		if s.least[v] == 0 {
			c.without++
		}
	}
}

// isRing reports whether each node of a component leads to one other only: then it
// is one cycle.
func (s *search) isRing(part []int32) bool {
	for _, v := range part {
		inside := 0
		for _, w := range s.next.of(v) {
			if s.partOf[w] == s.partOf[v] {
				inside++
			}
		}
		if inside != 1 {
			return false
		}
	}
	return true
}

// across returns a shortest cycle along an arrow that leads from one of the parts
// inside to another one: what makes them one component.
func (s *search) across(part, inside []int32) [][]int32 {
	for _, v := range part {
		for _, w := range s.next.of(v) {
			if s.partOf[w] == s.partOf[v] && inside[w] != inside[v] {
				if cycle := s.through(w, 0, v); cycle != nil && len(cycle) <= s.names {
					s.names -= len(cycle)
					return [][]int32{cycle}
				}
				return nil
			}
		}
	}
	return nil
}

// anyNode stands for no node in particular.
const anyNode = -1

// through returns a shortest cycle through a node, in which last comes before it,
// from its smallest node on; nil where there is none of fewer than below nodes, or
// the steps are used up. Below 0 asks for any.
func (s *search) through(start, below, last int32) []int32 {
	s.round++
	s.queue = append(s.queue[:0], start)
	level, end := int32(1), 1 // the length of a cycle that ends here, and the next level
	for at := 0; at < len(s.queue); at++ {
		if at == end {
			level, end = level+1, len(s.queue)
		}
		if below > 0 && level >= below || s.steps <= 0 {
			return nil
		}
		v := s.queue[at]
		after := s.next.of(v)
		s.steps -= len(after) + 1
		for _, w := range after {
			switch {
			case w == start && (last == anyNode || last == v):
				return s.wayTo(start, v)
			case w == start:
			case s.seen[w] != s.round && s.partOf[w] == s.partOf[start]:
				s.seen[w], s.before[w] = s.round, v
				s.queue = append(s.queue, w)
			}
		}
	}
	return nil
}

// wayTo is the cycle that goes from start to v and back, from its smallest node on.
func (s *search) wayTo(start, v int32) []int32 {
	cycle := []int32{v}
	for v != start {
		v = s.before[v]
		cycle = append(cycle, v)
	}
	slices.Reverse(cycle)
	least := slices.Index(cycle, slices.Min(cycle))
	return slices.Concat(cycle[least:], cycle[:least])
}
