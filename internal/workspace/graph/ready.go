package graph

import (
	"cmp"
	"slices"
	"strings"
)

// Ready says how far a deliverable can go.
type Ready string

// What a deliverable can be.
const (
	// ReadyToStart has begun no work and waits for nothing.
	ReadyToStart Ready = "ready"
	// Blocked has begun no work and waits for something.
	Blocked Ready = "blocked"
	// Active is being worked on or checked, whatever it still waits for.
	Active Ready = "active"
	// Done is issued.
	Done Ready = "done"
	// Undecided is in a state that is not known.
	Undecided Ready = "unknown"
)

// Readiness is what a deliverable waits for.
type Readiness struct {
	Deliverable string    `json:"deliverable"`
	Ready       Ready     `json:"ready"`
	Blockers    []Blocker `json:"blockers"`
}

// Blocker is a row that keeps a deliverable from going on.
type Blocker struct {
	DependencyID string `json:"dependencyId"`
	Row          int    `json:"row,omitempty"`
	Type         string `json:"type"`
	// Deliverable is what has to come first, State how far that is, "" when it is
	// not in the project.
	Deliverable  string `json:"deliverable"`
	State        string `json:"state,omitempty"`
	Satisfaction string `json:"satisfaction"`
	Reason       string `json:"reason"`
}

// blocks reports whether a row makes its deliverable wait: the blocker subset of
// the compatible contract, 8.3.
func (d *Dependency) blocks() bool {
	if d.Class != classExecution || d.Direction != directionUp || d.TargetType != targetDeliverable ||
		d.Type != typePrerequisite && d.Type != typeConstraint {
		return false
	}
	switch d.Satisfaction {
	case statusSatisfied, statusWaived, statusNotRelevant:
		return false
	}
	notes := strings.ToUpper(d.Notes)
	return !strings.Contains(notes, noteAssumption) || strings.Contains(notes, noteResolved) || strings.Contains(notes, noteClosed)
}

// underWay reports whether a deliverable in that state is far enough for those
// that wait for it.
func underWay(state string) bool {
	return state == "IN_PROGRESS" || state == "CHECKING" || state == "ISSUED"
}

// readiness reports every deliverable, by id.
func (g *Graph) readiness() []Readiness {
	waits := make([]pair, 0, len(g.deps)) // from a deliverable to its row
	for i := range g.deps {
		if from, to := g.from[i], g.to[i]; to >= 0 && (from < 0 || !underWay(g.nodes[from].State)) && g.deps[i].blocks() {
			waits = append(waits, pair{to, int32(i)})
		}
	}
	rows := listsOf(waits, len(g.nodes))
	blockers := make([]Blocker, len(rows.all))
	reasons := make([]string, len(g.nodes))
	for k, i := range rows.all {
		blockers[k] = g.blocker(i, reasons)
	}
	all := make([]Readiness, len(g.nodes))
	for i, n := range g.nodes {
		r := Readiness{Deliverable: n.ID, Blockers: blockers[rows.at[i]:rows.at[i+1]:rows.at[i+1]]}
		switch n.State {
		case "IN_PROGRESS", "CHECKING":
			r.Ready = Active
		case "ISSUED":
			r.Ready = Done
		case "OPEN", "INITIALIZED", "SEMANTIC_READY":
			r.Ready = ReadyToStart
			if len(r.Blockers) > 0 {
				r.Ready = Blocked
			}
		default:
			r.Ready = Undecided
		}
		all[i] = r
	}
	return all
}

// blocker is what a row says of the deliverable that it waits for. Sentences are
// kept in reasons: many may wait for the same.
func (g *Graph) blocker(row int32, reasons []string) Blocker {
	d := &g.deps[row]
	b := Blocker{DependencyID: d.ID, Row: d.Row, Type: d.Type, Deliverable: d.Target, Satisfaction: d.Satisfaction}
	if b.Satisfaction == "" {
		b.Satisfaction = statusNotAssessed
	}
	from := g.from[row]
	if from < 0 {
		b.Reason = d.Target + " is not in the project"
		return b
	}
	n := &g.nodes[from]
	if reasons[from] == "" {
		reasons[from] = n.ID + " is " + cmp.Or(n.State, "in no known state")
	}
	b.Deliverable, b.State, b.Reason = n.ID, n.State, reasons[from]
	return b
}

// Impact is what a change to a deliverable reaches.
type Impact struct {
	Deliverable string `json:"deliverable"`
	// Reaches are the deliverables after it, the nearest first.
	Reaches []Reached `json:"reaches"`
}

// Reached is a deliverable that a change reaches.
type Reached struct {
	Deliverable string `json:"deliverable"`
	// Distance is the number of steps, Via the deliverable before it on a
	// shortest way.
	Distance int    `json:"distance"`
	Via      string `json:"via"`
	State    string `json:"state,omitempty"`
}

// Impact follows the dependencies from a deliverable on. It is false when the
// project has none of that id.
func (g *Graph) Impact(id string) (*Impact, bool) {
	start := g.find(id)
	if start < 0 {
		return nil, false
	}
	result := &Impact{Deliverable: g.nodes[start].ID, Reaches: []Reached{}}
	seen := make([]bool, len(g.nodes))
	seen[start] = true
	level := []int32{start}
	for distance := 1; len(level) > 0; distance++ {
		var further []int32
		for _, v := range level {
			for _, w := range g.next.of(v) {
				if !seen[w] {
					seen[w] = true
					further = append(further, w)
					result.Reaches = append(result.Reaches, Reached{
						Deliverable: g.nodes[w].ID, Distance: distance, Via: g.nodes[v].ID, State: g.nodes[w].State,
					})
				}
			}
		}
		level = further
	}
	return result, true
}

// Around returns the graph of one deliverable and its neighbours.
func (g *Graph) Around(id string) (*Graph, bool) {
	at := g.find(id)
	if at < 0 {
		return nil, false
	}
	keep := append([]int32{at}, g.next.of(at)...)
	keep = append(keep, g.prev.of(at)...)
	slices.Sort(keep)
	var nodes []Node
	for _, v := range slices.Compact(keep) {
		nodes = append(nodes, g.nodes[v])
	}
	var deps []Dependency
	for i := range g.deps {
		if g.from[i] == at || g.to[i] == at {
			deps = append(deps, g.deps[i])
		}
	}
	part := Build(nodes, deps)
	part.center = g.nodes[at].ID
	return part, true
}

// Behind returns the graph of one deliverable and all that a change to it
// reaches.
func (g *Graph) Behind(id string) (*Graph, *Impact, bool) {
	impact, ok := g.Impact(id)
	if !ok {
		return nil, nil, false
	}
	at := g.find(id)
	kept := map[int32]bool{at: true}
	nodes := []Node{g.nodes[at]}
	for _, r := range impact.Reaches {
		v := g.byID[r.Deliverable]
		kept[v] = true
		nodes = append(nodes, g.nodes[v])
	}
	var deps []Dependency
	for i := range g.deps {
		if kept[g.from[i]] && kept[g.to[i]] {
			deps = append(deps, g.deps[i])
		}
	}
	part := Build(nodes, deps)
	part.center = impact.Deliverable
	return part, impact, true
}

// Center is the deliverable around which the graph is a part of another, "" for
// one of its own.
func (g *Graph) Center() string { return g.center }
