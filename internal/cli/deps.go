package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/quantity"
	"belay/internal/workspace/graph"
)

func newDeps(c *console) *cobra.Command {
	return group("deps", "Read and maintain the dependencies between deliverables", "  belay deps ready\n  belay deps graph --format mermaid",
		newDepsGraph(c), newDepsReady(c), newDepsBlockers(c), newDepsCycles(c), newDepsOrder(c), newDepsLint(c), newDepsProposals(c), newDepsImport(c), newDepsDismiss(c), newDepsSummary(c), newDepsRenumber(c))
}

// readinessAnswer is the answer of deps ready and deps blockers as JSON, orderAnswer that of
// deps order: the names are those of deps graph.
type readinessAnswer struct {
	Readiness []graph.Readiness `json:"readiness"`
}

type orderAnswer struct {
	Order [][]string `json:"order"`
}

func newDepsReady(c *console) *cobra.Command {
	return graphQuestion(c, "ready", "List the deliverables that can begin now",
		`List the deliverables that are not begun and can begin: they have no active prerequisite
or constraint on a deliverable that is not in progress yet. A waiver, a satisfied row and
an unresolved assumption do not block.`,
		func(a *graph.Analysis) any { return readinessAnswer{only(a.Readiness, graph.ReadyToStart)} },
		func(g *graph.Graph, a *graph.Analysis) {
			t := &table{heads: []string{"DELIVERABLE", "STATE", "NAME"}}
			for _, r := range only(a.Readiness, graph.ReadyToStart) {
				n, _ := g.Node(r.Deliverable)
				t.add(n.ID, stateWord(n.State), n.Name)
			}
			c.print(t, noneReady(a))
		})
}

// noneReady says why no deliverable can begin.
func noneReady(a *graph.Analysis) string {
	unknown := len(only(a.Readiness, graph.Undecided))
	switch {
	case len(only(a.Readiness, graph.Blocked)) > 0:
		return "nothing can begin now; belay deps blockers says why"
	case unknown > 0:
		return "nothing can begin, but " + quantity.Count(unknown, "deliverable is", "deliverables are") + " in a state that is not known; belay project validate says why"
	}
	return "every deliverable has begun"
}

func newDepsBlockers(c *console) *cobra.Command {
	return graphQuestion(c, "blockers", "List what keeps deliverables from beginning",
		`List the deliverables that are not begun and wait for another one, each with the rows of
its register that block it.`,
		func(a *graph.Analysis) any { return readinessAnswer{only(a.Readiness, graph.Blocked)} },
		func(_ *graph.Graph, a *graph.Analysis) {
			t := &table{heads: []string{"DELIVERABLE", "WAITS FOR", "BY", "TYPE", "BECAUSE"}}
			for _, r := range only(a.Readiness, graph.Blocked) {
				for _, b := range r.Blockers {
					t.add(r.Deliverable, b.Deliverable, b.DependencyID, strings.ToLower(b.Type), b.Reason)
				}
			}
			c.print(t, "nothing is blocked")
		})
}

func newDepsOrder(c *console) *cobra.Command {
	return graphQuestion(c, "order", "List the deliverables so that each comes after what it needs",
		`List the deliverables so that each comes after those that it needs. Deliverables that
depend on each other have no order: they are an indented block. belay deps cycles shows
their circles.`,
		func(a *graph.Analysis) any { return orderAnswer{a.Order} },
		func(_ *graph.Graph, a *graph.Analysis) {
			for _, step := range a.Order {
				if len(step) == 1 {
					c.write(step[0] + "\n")
					continue
				}
				c.write(hang(strconv.Itoa(len(step))+" that depend on each other:", c.width, 2) + "\n")
				for _, id := range step {
					c.write("  " + id + "\n")
				}
			}
		})
}

func only(all []graph.Readiness, want graph.Ready) []graph.Readiness {
	chosen := []graph.Readiness{}
	for _, r := range all {
		if r.Ready == want {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// graphQuestion is a command that analyses a project's graph and shows a part of
// the answer.
func graphQuestion(c *console, name, short, long string, part func(*graph.Analysis) any, show func(*graph.Graph, *graph.Analysis)) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long,
		Example: "  belay deps " + name + "\n  belay deps " + name + " --json",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := loadDependencies(c, cmd)
		if err != nil {
			return err
		}
		a := p.Analyse(cmd.Context())
		if c.json {
			return c.writeJSON(part(a))
		}
		if len(p.Nodes()) == 0 { // of none of them everything would be true
			c.print(&table{}, "the project has no deliverables; belay project init makes them from a decomposition")
			return nil
		}
		show(p.Graph, a)
		return nil
	}
	return cmd
}
