package graph

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// need is a row by which host waits for target.
func need(host, target string) Dependency {
	return Dependency{
		ID: "DEP-" + host + "-" + target, Host: host, Class: "EXECUTION", Direction: "UPSTREAM", Type: "PREREQUISITE",
		TargetType: "DELIVERABLE", Target: target,
	}
}

func nodes(states ...string) []Node {
	all := make([]Node, len(states))
	for i, s := range states {
		all[i] = Node{ID: fmt.Sprintf("DEL-01-%02d", i+1), State: s}
	}
	return all
}

const (
	d1, d2, d3, d4 = "DEL-01-01", "DEL-01-02", "DEL-01-03", "DEL-01-04"
)

func TestAnalyse(t *testing.T) {
	t.Parallel()
	handover := need(d3, d4)
	handover.Direction, handover.Type = "DOWNSTREAM", "HANDOVER" // 4 comes after 3
	labelled := need(d2, d1+"_Some-Label")
	waived := need(d3, d1)
	waived.Satisfaction = "WAIVED"
	assumed := need(d4, d1)
	assumed.Notes = "an assumption for now"
	anchor := Dependency{ID: "A", Host: d1, Class: "ANCHOR", Direction: "UPSTREAM", Type: "OTHER", TargetType: "WBS_NODE", TargetRef: "WBS-1"}
	g := Build(nodes("OPEN", "OPEN", "SEMANTIC_READY", "ISSUED"),
		[]Dependency{labelled, need(d3, d2), need(d2, d3), handover, waived, assumed, anchor, need(d4, "DEL-09-09")})
	a := g.Analyse(t.Context())
	if want := [][]string{{d1}, {d2, d3}, {d4}}; fmt.Sprint(a.Order) != fmt.Sprint(want) {
		t.Errorf("order %v, want %v", a.Order, want)
	}
	if want := []Cycle{{[]string{d2, d3}, true, 0}}; fmt.Sprint(a.Cycles) != fmt.Sprint(want) {
		t.Errorf("cycles %v, want %v", a.Cycles, want)
	}
	if want := []Unresolved{{"DEL-09-09", []string{d4 + " DEP-" + d4 + "-DEL-09-09"}}}; fmt.Sprint(a.Unresolved) != fmt.Sprint(want) {
		t.Errorf("unresolved %v, want %v", a.Unresolved, want)
	}
	var got []string
	for _, r := range a.Readiness {
		var by []string
		for _, b := range r.Blockers {
			by = append(by, b.Deliverable+": "+b.Reason)
		}
		got = append(got, fmt.Sprintf("%s %s %v", r.Deliverable, r.Ready, by))
	}
	want := []string{
		d1 + " ready []",
		d2 + " blocked [" + d1 + ": " + d1 + " is OPEN " + d3 + ": " + d3 + " is SEMANTIC_READY]",
		d3 + " blocked [" + d2 + ": " + d2 + " is OPEN]",
		d4 + " done [DEL-09-09: DEL-09-09 is not in the project]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("readiness:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	impact, ok := g.Impact(d1)
	if !ok || fmt.Sprint(impact.Reaches) != fmt.Sprint([]Reached{{d2, 1, d1, "OPEN"}, {d3, 1, d1, "SEMANTIC_READY"}, {d4, 1, d1, "ISSUED"}}) {
		t.Errorf("impact %+v", impact)
	}
	around, ok := g.Around(d4)
	if !ok || len(around.Nodes()) != 3 {
		t.Errorf("around: %+v", around)
	}
	if _, ok := g.Impact("DEL-09-09"); ok {
		t.Error("a deliverable that is not there has an impact")
	}
}

// TestCyclesAgainstAllPaths compares with the simplest way to find cycles there is:
// each deliverable of a component has one of its shortest cycles in the list, those
// of blocking rows first.
func TestCyclesAgainstAllPaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "nodes")
		states := make([]string, n)
		all := nodes(states...)
		var deps []Dependency
		for range rapid.IntRange(0, 18).Draw(t, "edges") {
			d := need(all[rapid.IntRange(0, n-1).Draw(t, "to")].ID, all[rapid.IntRange(0, n-1).Draw(t, "from")].ID)
			if rapid.Bool().Draw(t, "waived") {
				d.Satisfaction = "WAIVED"
			}
			deps = append(deps, d)
		}
		g := Build(all, deps)
		waits := g.blocking()
		a := g.Analyse(context.Background())
		parts, partOf := strong(g.next)
		waitParts, _ := strong(waits)
		checkComponents(t, g, a, waits, true, waitParts)
		checkComponents(t, g, a, g.next, false, parts)
		for i, c := range a.Components {
			if i > 0 && c.Blocking && !a.Components[i-1].Blocking {
				t.Fatalf("a blocking component behind another one: %+v", a.Components)
			}
			if !slices.ContainsFunc(a.Cycles, func(x Cycle) bool { return x.Component == i }) || c.WithoutCycle != 0 {
				t.Fatalf("component %d has no cycle: %+v", i, a)
			}
		}
		checkOrder(t, g, parts, partOf)
		checkArranged(t, g, g.arrange(parts, partOf), partOf)
	})
}

// checkComponents compares the components of one kind, and their cycles, with all
// cycles along the arrows of next.
func checkComponents(t *rapid.T, g *Graph, a *Analysis, next lists, blocking bool, parts [][]int32) {
	shortest := map[string]int{}
	var walk func(path []int32)
	walk = func(path []int32) {
		for _, w := range next.of(path[len(path)-1]) {
			if w == path[0] {
				id := g.nodes[w].ID
				if had := shortest[id]; had == 0 || len(path) < had {
					shortest[id] = len(path)
				}
			} else if !slices.Contains(path, w) {
				walk(append(slices.Clone(path), w))
			}
		}
	}
	for v := range int32(len(g.nodes)) {
		walk([]int32{v})
	}
	listed := map[string]int{} // the length of the shortest cycle that is listed, by deliverable
	for _, c := range a.Cycles {
		component := a.Components[c.Component]
		if c.Blocking != component.Blocking {
			t.Fatalf("%+v in %+v", c, component)
		}
		if blocking && !c.Blocking {
			continue
		}
		for i, id := range c.Deliverables {
			if _, ok := slices.BinarySearch(next.of(g.find(id)), g.find(c.Deliverables[(i+1)%len(c.Deliverables)])); !ok || !slices.Contains(component.Deliverables, id) {
				t.Fatalf("%+v is no cycle of its component", c)
			}
			if had := listed[id]; had == 0 || len(c.Deliverables) < had {
				listed[id] = len(c.Deliverables)
			}
		}
	}
	for id := range shortest {
		// A component that is also one of the blocking dependencies is listed as that.
		if !blocking && !slices.ContainsFunc(a.Components, func(c Component) bool { return !c.Blocking && slices.Contains(c.Deliverables, id) }) {
			delete(shortest, id)
			delete(listed, id)
		}
	}
	if fmt.Sprint(listed) != fmt.Sprint(shortest) {
		t.Fatalf("shortest cycles %v, listed %v (blocking %v)", shortest, listed, blocking)
	}
	var want, got []string
	for _, part := range parts {
		if circular(next, part) {
			want = append(want, fmt.Sprint(g.ids(part)))
		}
	}
	for _, c := range a.Components {
		if c.Blocking == blocking {
			got = append(got, fmt.Sprint(c.Deliverables))
		} else if !blocking && slices.Contains(want, fmt.Sprint(c.Deliverables)) {
			got = append(got, fmt.Sprint(c.Deliverables)) // it is with the first
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("components %v, want %v (blocking %v)", got, want, blocking)
	}
}

// checkOrder checks that every arrow leads to the same part or a later one, and
// that two nodes share a part exactly when each reaches the other.
func checkOrder(t *rapid.T, g *Graph, parts [][]int32, partOf []int32) {
	reach := make([][]bool, len(g.nodes))
	for v := range g.nodes {
		reach[v] = make([]bool, len(g.nodes))
		todo := []int32{int32(v)}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			for _, w := range g.next.of(at) {
				if !reach[v][w] {
					reach[v][w] = true
					todo = append(todo, w)
				}
			}
		}
	}
	for v := range g.nodes {
		if !slices.Contains(parts[partOf[v]], int32(v)) {
			t.Fatalf("node %d is not in its part", v)
		}
		for _, w := range g.next.of(int32(v)) {
			if partOf[w] < partOf[v] {
				t.Fatalf("%d comes before %d", w, v)
			}
		}
		for w := range g.nodes {
			if same := v == w || reach[v][w] && reach[w][v]; same != (partOf[v] == partOf[w]) {
				t.Fatalf("%d and %d: together %v", v, w, same)
			}
		}
	}
}

// checkArranged checks that every part comes after those that lead to it, and
// before a smaller one only where that had to wait for it.
func checkArranged(t *rapid.T, g *Graph, ordered [][]int32, partOf []int32) {
	at := map[int32]int{}
	for i, part := range ordered {
		at[partOf[part[0]]] = i
	}
	earliest := make([]int, len(ordered))
	for v := range g.nodes {
		for _, w := range g.next.of(int32(v)) {
			before, after := at[partOf[v]], at[partOf[w]]
			if before > after {
				t.Fatalf("%d stands before %d", w, v)
			}
			if before < after {
				earliest[after] = max(earliest[after], before+1)
			}
		}
	}
	for i := range ordered {
		for k := earliest[i]; k < i; k++ {
			if ordered[k][0] > ordered[i][0] {
				t.Fatalf("%v stands before %v, which waited for nothing", ordered[k], ordered[i])
			}
		}
	}
	if len(at) != len(ordered) {
		t.Fatalf("%d parts, %d in order", len(at), len(ordered))
	}
}

// TestLongRing: a cycle through a hundred thousand deliverables is found, and no
// stack overflows.
func TestLongRing(t *testing.T) {
	t.Parallel()
	const n = cycleNames
	g := ring(n)
	a := g.Analyse(t.Context())
	if len(a.Cycles) != 1 || len(a.Cycles[0].Deliverables) != n || len(a.Components) != 1 || a.Components[0].WithoutCycle != 0 {
		t.Errorf("%d cycles, %+v", len(a.Cycles), a.Components[0].WithoutCycle)
	}
}

func ring(n int) *Graph {
	all, deps := make([]Node, n), make([]Dependency, n)
	id := func(i int) string { return fmt.Sprintf("DEL-%06d", i%n) }
	for i := range n {
		all[i], deps[i] = Node{ID: id(i)}, need(id(i+1), id(i))
	}
	return Build(all, deps)
}

// TestManyCycles: in a graph in which everything depends on everything nothing is
// enumerated: the shortest cycles are listed, and each deliverable is on one.
func TestManyCycles(t *testing.T) {
	t.Parallel()
	states := make([]string, 60)
	all := nodes(states...)
	var deps []Dependency
	for _, a := range all {
		for _, b := range all {
			if a.ID != b.ID {
				deps = append(deps, need(a.ID, b.ID))
			}
		}
	}
	a := Build(all, deps).Analyse(t.Context())
	if len(a.Components) != 1 || len(a.Cycles) < 30 || len(a.Cycles) > 60 || a.Components[0].WithoutCycle != 0 {
		t.Fatalf("%d cycles of %+v", len(a.Cycles), a.Components)
	}
	for _, c := range a.Cycles {
		if len(c.Deliverables) != 2 || !c.Blocking {
			t.Errorf("%+v", c)
		}
	}
}

// TestDeadlocksFirst: circles of rows that block come first, each with its own
// component, though all are one component of all rows.
func TestDeadlocksFirst(t *testing.T) {
	t.Parallel()
	loose := func(host, target string) Dependency {
		d := need(host, target)
		d.Type = "INTERFACE"
		return d
	}
	g := Build(nodes("OPEN", "OPEN", "OPEN", "OPEN"), []Dependency{
		loose(d2, d1), loose(d1, d2), need(d4, d3), need(d3, d4), loose(d3, d2), loose(d1, d4),
	})
	a := g.Analyse(t.Context())
	if want := []Component{{Deliverables: []string{d3, d4}, Blocking: true}, {Deliverables: []string{d1, d2, d3, d4}}}; fmt.Sprint(a.Components) != fmt.Sprint(want) {
		t.Errorf("components %+v, want %+v", a.Components, want)
	}
	if want := []Cycle{{[]string{d3, d4}, true, 0}, {[]string{d1, d2}, false, 1}}; fmt.Sprint(a.Cycles) != fmt.Sprint(want) {
		t.Errorf("cycles %+v, want %+v", a.Cycles, want)
	}
	if b := a.OnlyBlocking(); len(b.Components) != 1 || len(b.Cycles) != 1 || len(b.Order) != len(a.Order) || len(a.Components) != 2 {
		t.Errorf("only blocking: %+v", b)
	}
	// What joins two of the first is shown, though each deliverable has a shorter cycle.
	g = Build(nodes("OPEN", "OPEN", "OPEN", "OPEN"), []Dependency{
		need(d2, d1), need(d1, d2), need(d4, d3), need(d3, d4), loose(d3, d2), loose(d1, d4),
	})
	a = g.Analyse(t.Context())
	if want := []Cycle{{[]string{d1, d2}, true, 0}, {[]string{d3, d4}, true, 1}, {[]string{d1, d2, d3, d4}, false, 2}}; fmt.Sprint(a.Cycles) != fmt.Sprint(want) {
		t.Errorf("cycles %+v, want %+v", a.Cycles, want)
	}
}

// TestCyclesBounded: in a component whose shortest cycles are long and many, the
// list ends, and the component says how many deliverables are without one.
func TestCyclesBounded(t *testing.T) {
	t.Parallel()
	const arms, length = 60, 2000 // cycles that share one deliverable
	all := []Node{{ID: "DEL-00"}}
	var deps []Dependency
	for a := range arms {
		before := "DEL-00"
		for i := range length {
			id := fmt.Sprintf("DEL-%02d-%04d", a+1, i)
			all, deps = append(all, Node{ID: id}), append(deps, need(id, before))
			before = id
		}
		deps = append(deps, need("DEL-00", before))
	}
	a := Build(all, deps).Analyse(t.Context())
	names := 0
	for _, c := range a.Cycles {
		names += len(c.Deliverables)
	}
	missing := a.Components[0].WithoutCycle
	if names > cycleNames || len(a.Cycles) == 0 || missing == 0 || missing != len(all)-(names-len(a.Cycles)+1) {
		t.Errorf("%d cycles name %d deliverables, %d of %d are without", len(a.Cycles), names, missing, len(all))
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	all := nodes("OPEN", "")
	all[0].Name = "A \"quoted\" <b>|#\nname\\"
	g := Build(all, []Dependency{need(d2, d1)})
	var mermaid, dot, ml bytes.Buffer
	if err := g.WriteMermaid(&mermaid); err != nil {
		t.Fatal(err)
	}
	if err := g.WriteDOT(&dot); err != nil {
		t.Fatal(err)
	}
	if err := g.WriteGraphML(&ml); err != nil {
		t.Fatal(err)
	}
	wantMermaid := "flowchart LR\n  n0[\"DEL-01-01 A #quot;quoted#quot; #lt;b#gt;#124;#35; name\\\"]\n  n1[\"DEL-01-02\"]\n  n0 ==>|PREREQUISITE| n1\n"
	if mermaid.String() != wantMermaid {
		t.Errorf("mermaid:\n%s\nwant:\n%s", &mermaid, wantMermaid)
	}
	wantDOT := "digraph dependencies {\n  rankdir=LR;\n  node [shape=box];\n" +
		`  "DEL-01-01" [label="DEL-01-01 A \"quoted\" <b>|# name\\"];` + "\n" +
		`  "DEL-01-02" [label="DEL-01-02"];` + "\n" +
		`  "DEL-01-01" -> "DEL-01-02" [label="PREREQUISITE" style=bold];` + "\n}\n"
	if dot.String() != wantDOT {
		t.Errorf("dot:\n%s\nwant:\n%s", &dot, wantDOT)
	}
	var back graphML
	if err := xml.Unmarshal(ml.Bytes(), &back); err != nil || len(back.Graph.Nodes) != 2 || back.Graph.Edges[0].Source != d1 ||
		back.Graph.Nodes[0].Data[0].Value != all[0].Name {
		t.Errorf("GraphML read back: %v, %+v", err, back)
	}
}

// BenchmarkAnalyse is a project of 10,000 deliverables with 200,000 dependencies,
// a few of which run backwards, beside only building the graph.
func BenchmarkAnalyse(b *testing.B) {
	const n, m = 10_000, 200_000
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]Node, n)
	for i := range all {
		all[i] = Node{ID: fmt.Sprintf("DEL-%02d-%02d", i/100, i%100), State: "OPEN"}
	}
	deps := make([]Dependency, m)
	for i := range deps {
		from := random.IntN(n - 1)
		to := from + 1 + random.IntN(min(300, n-1-from))
		if random.IntN(5_000) == 0 {
			from, to = to, from
		}
		deps[i] = need(all[to].ID, all[from].ID)
	}
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			Build(all, deps)
		}
	})
	b.Run("build+analyse", func(b *testing.B) {
		for b.Loop() {
			Build(all, deps).Analyse(b.Context())
		}
	})
}
