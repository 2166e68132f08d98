package graph

import "slices"

// strong returns the strongly connected parts of the arrows next, in an order in
// which what comes before stands first, each part sorted, and for every node its part. It is
// Tarjan's algorithm with a stack of its own: a chain of a hundred thousand
// deliverables must not become as many nested calls.
func strong(next lists) (parts [][]int32, partOf []int32) {
	n := len(next.at) - 1
	const unseen = -1
	index, low := make([]int32, n), make([]int32, n)
	partOf = make([]int32, n)
	for i := range n {
		index[i], partOf[i] = unseen, unseen
	}
	type frame struct{ node, edge, open int32 } // open is where the node is in the stack of that name
	var calls []frame
	var open []int32
	count := int32(0)
	enter := func(v int32) {
		index[v], low[v] = count, count
		count++
		calls = append(calls, frame{node: v, open: int32(len(open))})
		open = append(open, v)
	}
	for root := range int32(n) {
		if index[root] != unseen {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v, at := f.node, f.open
			if after := next.of(v); int(f.edge) < len(after) {
				w := after[f.edge]
				f.edge++
				switch {
				case index[w] == unseen:
					enter(w)
				case partOf[w] == unseen:
					low[v] = min(low[v], index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].node
				low[up] = min(low[up], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			part := slices.Clone(open[at:])
			open = open[:at]
			slices.Sort(part)
			for _, w := range part {
				partOf[w] = int32(len(parts))
			}
			parts = append(parts, part)
		}
	}
	// Tarjan finds a part after everything that follows it.
	slices.Reverse(parts)
	for i := range partOf {
		partOf[i] = int32(len(parts)) - 1 - partOf[i]
	}
	return parts, partOf
}

// circular reports whether a part has a cycle: more than one node, or one that
// depends on itself.
func circular(next lists, part []int32) bool {
	return len(part) > 1 || slices.Contains(next.of(part[0]), part[0])
}
