package graph

import "container/heap"

// arrange returns the parts in an order in which each comes after those that it
// needs, and among those that may come next the one with the smallest id first.
func (g *Graph) arrange(parts [][]int32, partOf []int32) [][]int32 {
	waits := make([]int32, len(parts)) // for how many arrows from other parts
	each := func(part []int32, do func(after int32)) {
		for _, v := range part {
			for _, w := range g.next.of(v) {
				if partOf[w] != partOf[v] {
					do(partOf[w])
				}
			}
		}
	}
	for _, part := range parts {
		each(part, func(after int32) { waits[after]++ })
	}
	free := &queue{}
	for _, part := range parts {
		if waits[partOf[part[0]]] == 0 {
			heap.Push(free, part)
		}
	}
	ordered := make([][]int32, 0, len(parts))
	for free.Len() > 0 {
		part := heap.Pop(free).([]int32)
		ordered = append(ordered, part)
		each(part, func(after int32) {
			if waits[after]--; waits[after] == 0 {
				heap.Push(free, parts[after])
			}
		})
	}
	return ordered
}

// queue is a heap of parts by their smallest node.
type queue [][]int32

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i][0] < q[j][0] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.([]int32)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
