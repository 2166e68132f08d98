package cli

import "github.com/spf13/cobra"

func newDeps(c *console) *cobra.Command {
	return group("deps", "Read and maintain the dependencies between deliverables", "  belay deps ready\n  belay deps graph --format mermaid",
		newDepsGraph(c), newDepsReady(c), newDepsBlockers(c), newDepsCycles(c), newDepsOrder(c), newDepsLint(c), newDepsProposals(c), newDepsImport(c), newDepsDismiss(c), newDepsSummary(c), newDepsRenumber(c))
}
