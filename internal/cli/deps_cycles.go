package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/quantity"
	"belay/internal/workspace/graph"
)

// How much of the circles people see without --all.
const (
	shownComponents = 20
	shownCircles    = 20 // of a component
	shownSteps      = 12 // of a circle
)

// circlesAnswer is the answer of deps cycles as JSON.
type circlesAnswer struct {
	Components []graph.Component `json:"components"`
	Cycles     []graph.Cycle     `json:"cycles"`
}

func newDepsCycles(c *console) *cobra.Command {
	var blocking, all bool
	wanted := func(a *graph.Analysis) *graph.Analysis {
		if blocking {
			return a.OnlyBlocking()
		}
		return a
	}
	cmd := graphQuestion(c, "cycles", "List the circles in which deliverables depend on each other",
		`List the groups of deliverables that depend on each other, each with a shortest circle
through every member. Blocking groups come first: every step of their circles is an active
prerequisite or constraint that is neither satisfied nor waived. The other groups follow;
they may contain members of the first. An arrow leads from a deliverable to the one that
needs it.

This is not every circle: a few dozen deliverables can have more than anybody could read.
Long lists are cut; --all and --json show all.`,
		func(a *graph.Analysis) any {
			a = wanted(a)
			return circlesAnswer{a.Components, a.Cycles}
		},
		func(_ *graph.Graph, a *graph.Analysis) { printCircles(c, wanted(a), blocking, all) })
	cmd.Example = "  belay deps cycles\n  belay deps cycles --blocking\n  belay deps cycles --json"
	cmd.Flags().BoolVar(&blocking, "blocking", false, "only the blocking groups")
	cmd.Flags().BoolVar(&all, "all", false, "list every circle in full")
	cmd.MarkFlagsMutuallyExclusive("json", "all")
	return cmd
}

// printCircles prints the groups of both kinds with their circles, and the totals.
func printCircles(c *console, a *graph.Analysis, onlyBlocking, all bool) {
	cycles := make([][]graph.Cycle, len(a.Components))
	for _, cycle := range a.Cycles {
		cycles[cycle.Component] = append(cycles[cycle.Component], cycle)
	}
	blocking := len(a.OnlyBlocking().Components)
	printComponents(c, a.Components[:blocking], cycles[:blocking], "wait for each other", "waits for itself", all)
	if blocking > 0 && blocking < len(a.Components) {
		c.write("\n")
	}
	printComponents(c, a.Components[blocking:], cycles[blocking:], "depend on each other", "depends on itself", all)
	switch others := len(a.Components) - blocking; {
	case onlyBlocking && blocking == 0:
		c.write("there are no circles that block\n")
	case len(a.Components) == 0:
		c.write("there are no circles\n")
	case onlyBlocking:
		c.note("total", quantity.Count(blocking, "group that waits", "groups that wait"))
	default:
		c.note("total", quantity.Count(blocking, "group that waits", "groups that wait")+", "+quantity.Count(others, "other", "others"))
	}
}

// printComponents prints components of one kind. Many says what several deliverables of
// one do, one what a single deliverable does.
func printComponents(c *console, groups []graph.Component, cycles [][]graph.Cycle, many, one string, all bool) {
	for i, g := range groups {
		if i == shownComponents && !all {
			c.write("\n" + hang(fmt.Sprintf("and %s; --all lists them", quantity.Count(len(groups)-i, "more group", "more groups")), c.width, 2) + "\n")
			return
		}
		if i > 0 {
			c.write("\n")
		}
		head := fmt.Sprintf("%d deliverables %s:", len(g.Deliverables), many)
		if len(g.Deliverables) == 1 {
			head = "1 deliverable " + one + ":"
		}
		c.write(hang(head, c.width, 2) + "\n")
		for k, cycle := range cycles[i] {
			if k == shownCircles && !all {
				c.write("  " + hang(fmt.Sprintf("and %s; --all lists them", quantity.Count(len(cycles[i])-k, "more circle", "more circles")), c.width, 4) + "\n")
				break
			}
			c.write("  " + hang(circle(cycle.Deliverables, all), c.width, 4) + "\n")
		}
		if g.WithoutCycle > 0 {
			c.write("  " + hang(fmt.Sprintf("for %d of them no circle was looked for: there are too many", g.WithoutCycle), c.width, 4) + "\n")
		}
	}
}

// circle is a cycle as a person reads it, back to where it begins. The middle of a
// long one is left out, if not all is asked for.
func circle(ids []string, all bool) string {
	if more := len(ids) - shownSteps; more > 1 && !all {
		ids = slices.Concat(ids[:shownSteps/2], []string{fmt.Sprintf("(%d more)", more)}, ids[len(ids)-shownSteps/2:])
	}
	return strings.Join(ids, " → ") + " → " + ids[0]
}
