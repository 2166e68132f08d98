package project

import (
	"fmt"
	"strings"

	"belay/internal/tool"
	"belay/internal/workspace/graph"
)

// summaryLines say how the project stands as a whole.
func summaryLines(g *graph.Graph, a *graph.Analysis) []string {
	states := map[graph.Ready]int{}
	for _, r := range a.Readiness {
		states[r.Ready]++
	}
	resolved, blocking := 0, 0
	for _, e := range g.Edges() {
		if e.Resolved {
			resolved++
		}
		if e.Blocking {
			blocking++
		}
	}
	waiting := len(a.OnlyBlocking().Components)
	all := []string{
		fmt.Sprintf("deliverables: %d: %d ready to start, %d blocked, %d under way, %d issued, %d in a state that is not known", len(a.Readiness),
			states[graph.ReadyToStart], states[graph.Blocked], states[graph.Active], states[graph.Done], states[graph.Undecided]),
		fmt.Sprintf("active dependencies: %d, %d of them between deliverables of the project, %d blocking", len(g.Edges()), resolved, blocking),
		fmt.Sprintf("groups of deliverables in circles: %d wait for each other, %d others", waiting, len(a.Components)-waiting),
		fmt.Sprintf("targets that are said to be deliverables and are not in the project: %d", len(a.Unresolved)),
	}
	for _, u := range a.Unresolved {
		all = append(all, "  "+shown(u.Target)+" by "+shown(strings.Join(u.By, ", ")))
	}
	return all
}

// aroundLines say what a deliverable needs, and what needs it.
func aroundLines(part *graph.Graph, id string, a *graph.Analysis) []string {
	n, _ := part.Node(id)
	all := []string{fmt.Sprintf("%s %s: %s, %s", n.ID, shown(n.Name), stateOf(n.State), shown(n.Path))}
	var needs, needed []string
	for _, e := range part.Edges() {
		switch {
		case e.To == n.ID:
			needs = append(needs, edgeLine(part, &e, e.From))
		case e.From == n.ID:
			needed = append(needed, edgeLine(part, &e, e.To))
		}
	}
	all = append(all, fmt.Sprintf("needs: %d", len(needs)))
	all = append(all, needs...)
	all = append(all, fmt.Sprintf("is needed by: %d", len(needed)))
	all = append(all, needed...)
	for _, r := range a.Readiness {
		if r.Deliverable == n.ID {
			all = append(all, "so far it is "+string(r.Ready))
			all = append(all, blockerLines(r.Blockers)...)
		}
	}
	return all
}

// edgeLine is one row as an arrow from or to other.
func edgeLine(g *graph.Graph, e *graph.Edge, other string) string {
	line := fmt.Sprintf("  %s: %s", shown(other), strings.ToLower(shown(e.Type)))
	if n, ok := g.Node(other); ok {
		line += ", " + stateOf(n.State)
	} else if e.TargetType == "DELIVERABLE" {
		line += ", not in the project"
	} else if e.TargetType != "" {
		line += ", a " + strings.ToLower(shown(e.TargetType))
	}
	if e.TargetName != "" {
		line += ", " + shown(e.TargetName)
	}
	if e.Satisfaction != "" {
		line += ", " + strings.ToLower(shown(e.Satisfaction))
	}
	line += fmt.Sprintf(" (%s in the register of %s)", shown(e.ID), shown(e.Host))
	if e.Blocking {
		line += " blocks"
	}
	return line
}

func impactLines(i *graph.Impact) []string {
	all := []string{fmt.Sprintf("a change to %s reaches %d deliverables", i.Deliverable, len(i.Reaches))}
	for _, r := range i.Reaches {
		all = append(all, fmt.Sprintf("  %s, %d steps away, by %s, %s", r.Deliverable, r.Distance, r.Via, stateOf(r.State)))
	}
	return all
}

func readyLines(g *graph.Graph, a *graph.Analysis) []string {
	var all []string
	for _, r := range a.Readiness {
		if r.Ready == graph.ReadyToStart {
			n, _ := g.Node(r.Deliverable)
			all = append(all, fmt.Sprintf("%s  %s  %s", n.ID, stateOf(n.State), shown(n.Name)))
		}
	}
	return orNone(all, "nothing is ready to start")
}

func blockedLines(a *graph.Analysis) []string {
	var all []string
	for _, r := range a.Readiness {
		if r.Ready == graph.Blocked {
			all = append(all, r.Deliverable)
			all = append(all, blockerLines(r.Blockers)...)
		}
	}
	return orNone(all, "nothing is blocked")
}

func blockerLines(blockers []graph.Blocker) []string {
	all := make([]string, 0, len(blockers))
	for _, b := range blockers {
		all = append(all, fmt.Sprintf("  waits for %s: %s (%s, %s)", shown(b.Deliverable), shown(b.Reason), shown(b.DependencyID), strings.ToLower(shown(b.Type))))
	}
	return all
}

// cycleLines are the groups of deliverables that depend on each other, those that
// block first, each with its circles.
func cycleLines(a *graph.Analysis) []string {
	var all []string
	next := 0
	for i, g := range a.Components {
		kind := "depend on each other"
		if g.Blocking {
			kind = "wait for each other"
		}
		all = append(all, fmt.Sprintf("%d deliverables %s", len(g.Deliverables), kind))
		for ; next < len(a.Cycles) && a.Cycles[next].Component == i; next++ {
			ids := a.Cycles[next].Deliverables
			all = append(all, "  "+strings.Join(ids, " > ")+" > "+ids[0])
		}
		if g.WithoutCycle > 0 {
			all = append(all, fmt.Sprintf("  for %d of them no circle was looked for", g.WithoutCycle))
		}
	}
	return orNone(all, "there are no circles")
}

func orderLines(a *graph.Analysis) []string {
	var all []string
	for _, step := range a.Order {
		if len(step) == 1 {
			all = append(all, step[0])
			continue
		}
		all = append(all, fmt.Sprintf("%d that depend on each other:", len(step)))
		for _, id := range step {
			all = append(all, "  "+id)
		}
	}
	return orNone(all, "there are no deliverables")
}

func orNone(all []string, none string) []string {
	if len(all) == 0 {
		return []string{none}
	}
	return all
}

func stateOf(state string) string {
	if state == "" {
		return "state not known"
	}
	return strings.ToLower(state)
}

// shown is a text of a register on a line of the answer.
func shown(s string) string { return clip(tool.Printable(s)) }
