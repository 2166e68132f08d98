// Package graph is a project's dependencies as a whole: what comes before what,
// what goes in circles, what is ready, what blocks what, and what a change
// reaches.
//
// The graph is made from the registers of the deliverables ([Build]) and never
// stored. Everything here is pure: the same registers give the same answers, in
// the same order. Contract: workspace spec, section 6; compatible contract, 8.3
// (what blocks) and 8.8 (graph).
package graph

import (
	"cmp"
	"slices"
	"strings"

	"belay/internal/workspace/layout"
)

// Node is a deliverable.
type Node struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Package string `json:"pkg"`
	// State is its lifecycle state, "IN_PROGRESS", or "" when it is not known.
	State string `json:"state,omitempty"`
	Path  string `json:"path,omitempty"`
}

// Dependency is an active row of a deliverable's register, in canonical values.
type Dependency struct {
	// ID is the row's, Host the deliverable in whose register it is.
	ID   string `json:"id"`
	Host string `json:"host"`
	Row  int    `json:"row,omitempty"`

	Class        string `json:"class"`
	Anchor       string `json:"anchorType,omitempty"`
	Direction    string `json:"direction"`
	Type         string `json:"type"`
	TargetType   string `json:"targetType"`
	Target       string `json:"target,omitempty"` // a deliverable's id
	TargetRef    string `json:"targetRef,omitempty"`
	TargetName   string `json:"targetName,omitempty"`
	Satisfaction string `json:"satisfaction,omitempty"`
	Notes        string `json:"-"`
}

// Values of a register's columns that mean something here.
const (
	classExecution    = "EXECUTION"
	directionUp       = "UPSTREAM"
	directionDown     = "DOWNSTREAM"
	targetDeliverable = "DELIVERABLE"
	typePrerequisite  = "PREREQUISITE"
	typeConstraint    = "CONSTRAINT"
	statusSatisfied   = "SATISFIED"
	statusWaived      = "WAIVED"
	statusNotRelevant = "NOT_APPLICABLE"
	statusNotAssessed = "TBD"
	noteAssumption    = "ASSUMPTION"
	noteResolved      = "RESOLVED"
	noteClosed        = "CLOSED"
)

// Graph is the dependencies of a project. It is immutable and safe for concurrent
// use.
type Graph struct {
	nodes []Node
	deps  []Dependency
	// byID has the nodes by their ids, and by these without the zeros in front of numbers.
	byID map[string]int32
	// center is set by Around.
	center string
	// next are, for each node, the ones that come after it, without repetition
	// and in order; prev the other way round.
	next, prev lists
	// from and to are, for each dependency, its nodes: from comes before to. -1
	// stands for what is not a deliverable of the project.
	from, to []int32
}

// lists are many short lists in one array: list i is all[at[i]:at[i+1]].
type lists struct {
	at  []int32
	all []int32
}

func (l lists) of(i int32) []int32 { return l.all[l.at[i]:l.at[i+1]] }

// Build makes the graph of these deliverables and rows. Of deliverables with the
// same id the first counts. A target's id may be followed by its label, and its numbers
// may have another width, as real registers have it.
func Build(nodes []Node, deps []Dependency) *Graph {
	g := &Graph{byID: make(map[string]int32, 2*len(nodes))}
	g.nodes = slices.Clone(nodes)
	slices.SortStableFunc(g.nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	g.nodes = slices.CompactFunc(g.nodes, func(a, b Node) bool { return a.ID == b.ID })
	for i, n := range g.nodes {
		g.byID[n.ID] = int32(i)
	}
	for i, n := range slices.Backward(g.nodes) {
		if number := layout.Number(n.ID); number != n.ID {
			g.byID[number] = int32(i)
		}
	}
	g.deps = deps
	g.from, g.to = make([]int32, len(deps)), make([]int32, len(deps))
	pairs := make([]pair, 0, len(deps))
	for i := range deps {
		d := &deps[i]
		host, target := g.find(d.Host), int32(-1)
		if d.TargetType == targetDeliverable {
			target = g.find(d.Target)
		}
		g.from[i], g.to[i] = target, host
		if d.Direction == directionDown {
			g.from[i], g.to[i] = host, target
		}
		if d.Class == classExecution && host >= 0 && target >= 0 {
			pairs = append(pairs, pair{g.from[i], g.to[i]})
		}
	}
	g.next = listsOf(pairs, len(g.nodes))
	for i, p := range pairs {
		pairs[i] = pair{p.to, p.from}
	}
	g.prev = listsOf(pairs, len(g.nodes))
	return g
}

// find is the node of an id as registers write it, -1 when there is none: a label may follow
// the id, and its numbers may have another width.
func (g *Graph) find(id string) int32 {
	if i, ok := g.byID[id]; ok {
		return i
	}
	id, _, _ = strings.Cut(id, "_")
	if i, ok := g.byID[id]; ok {
		return i
	}
	if i, ok := g.byID[layout.Number(strings.ToUpper(id))]; ok {
		return i
	}
	return -1
}

// pair is an arrow between two nodes.
type pair struct{ from, to int32 }

// listsOf makes a list of each node's followers, sorted and each once.
func listsOf(pairs []pair, n int) lists {
	l := lists{at: make([]int32, n+1), all: make([]int32, len(pairs))}
	for _, p := range pairs {
		l.at[p.from+1]++
	}
	for i := range n {
		l.at[i+1] += l.at[i]
	}
	free := slices.Clone(l.at)
	for _, p := range pairs {
		l.all[free[p.from]] = p.to
		free[p.from]++
	}
	kept := int32(0)
	for i := range n {
		list := l.all[l.at[i]:l.at[i+1]]
		slices.Sort(list)
		l.at[i] = kept
		kept += int32(copy(l.all[kept:], slices.Compact(list)))
	}
	l.at[n] = kept
	l.all = l.all[:kept]
	return l
}

// Nodes are the deliverables, by id. They are not to be changed.
func (g *Graph) Nodes() []Node { return g.nodes }

// Has reports whether a deliverable is in the project.
func (g *Graph) Has(id string) bool { return g.find(id) >= 0 }

func (g *Graph) ids(nodes []int32) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = g.nodes[n].ID
	}
	return ids
}
