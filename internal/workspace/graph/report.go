package graph

import "context"

// Report is a graph with everything that can be said of it, as the command line
// and HTTP show it.
type Report struct {
	ProjectRoot string    `json:"projectRoot"`
	Nodes       []Node    `json:"nodes"`
	Edges       []Edge    `json:"edges"`
	Metadata    Metadata  `json:"metadata"`
	Analysis    *Analysis `json:"analysis"`
}

// Metadata counts what is in a report.
type Metadata struct {
	Deliverables int `json:"deliverables"`
	// Dependencies are the active rows, Execution those between deliverables of
	// the project that are about execution.
	Dependencies int `json:"dependencies"`
	Execution    int `json:"execution"`
}

// ReportOf analyses g for a report.
func ReportOf(ctx context.Context, root string, g *Graph) *Report {
	r := &Report{ProjectRoot: root, Nodes: g.nodes, Edges: g.Edges(), Analysis: g.Analyse(ctx)}
	if r.Nodes == nil {
		r.Nodes = []Node{}
	}
	r.Metadata = Metadata{Deliverables: len(g.nodes), Dependencies: len(g.deps)}
	g.drawn(func(Edge) { r.Metadata.Execution++ })
	return r
}

// Node returns a deliverable by its id.
func (g *Graph) Node(id string) (Node, bool) {
	if i := g.find(id); i >= 0 {
		return g.nodes[i], true
	}
	return Node{}, false
}
