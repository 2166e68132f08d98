package graph

import "cmp"

// Edge is a dependency as an arrow: From comes before To.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Resolved is false when one end is not a deliverable of the project: a
	// document, a requirement, a thing outside, or a mistake.
	Resolved bool `json:"resolved"`
	// Blocking is set when To has to wait for From by this row.
	Blocking bool `json:"blocking,omitempty"`
	Dependency
}

// Edges are all dependencies, in the order of their rows.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, len(g.deps))
	for i := range g.deps {
		edges[i] = g.edge(i)
	}
	return edges
}

func (g *Graph) edge(i int) Edge {
	d := &g.deps[i]
	host, other := d.Host, d.other()
	e := Edge{From: other, To: host, Dependency: *d, Resolved: g.from[i] >= 0 && g.to[i] >= 0, Blocking: d.blocks()}
	if d.Direction == directionDown {
		e.From, e.To = host, other
	}
	if g.from[i] >= 0 {
		e.From = g.nodes[g.from[i]].ID
	}
	if g.to[i] >= 0 {
		e.To = g.nodes[g.to[i]].ID
	}
	return e
}

// other names what the host depends on, or what depends on it.
func (d *Dependency) other() string {
	return cmp.Or(d.Target, d.TargetRef, d.TargetName, "?")
}
