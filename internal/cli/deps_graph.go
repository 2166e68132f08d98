package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/graph"
	"belay/internal/workspace/graph/load"
	"belay/internal/workspace/scan"
)

// graphFormats are how a graph can be written.
var graphFormats = map[string]func(*graph.Graph, io.Writer) error{
	"mermaid": (*graph.Graph).WriteMermaid,
	"dot":     (*graph.Graph).WriteDOT,
	"graphml": (*graph.Graph).WriteGraphML,
}

func newDepsGraph(c *console) *cobra.Command {
	var format, around, impact string
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Write the dependencies of a project as a graph",
		Long: `Read the registers of all deliverables and write the dependencies between them.

JSON has every active row and the whole analysis. mermaid, dot and graphml draw the
dependencies: an arrow leads from a deliverable to the one that needs it, and a thick
arrow blocks. --deliverable writes only one deliverable and its neighbours. --impact lists
the deliverables that a change to one reaches, the nearest first.`,
		Example: "  belay deps graph --format mermaid\n  belay deps graph --deliverable DEL-03-01 --format dot\n  belay deps graph --project ~/projects/bridge --impact DEL-01-02",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	cmd.Flags().StringVar(&format, "format", "json", "`FORMAT` of the graph: json, mermaid, dot or graphml")
	cmd.Flags().StringVar(&around, "deliverable", "", "only this `DELIVERABLE` and its neighbours")
	cmd.Flags().StringVar(&impact, "impact", "", "list the deliverables that a change to this `DELIVERABLE` reaches")
	jsonFlag(c, cmd)
	cmd.MarkFlagsMutuallyExclusive("deliverable", "impact")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		write, ok := graphFormats[format]
		if !ok && format != "json" {
			return failed(ExitUsage, "the formats are json, mermaid, dot and graphml", fmt.Errorf("unknown format %q", format))
		}
		p, err := loadDependencies(c, cmd)
		if err != nil {
			return err
		}
		g := p.Graph
		switch {
		case impact != "":
			if format != "json" {
				return usageHint("leave out --format, or take --deliverable", "--impact lists deliverables, and draws no graph")
			}
			f, err := folderNamed(p.Root, p.found, impact)
			if err != nil {
				return err
			}
			return printImpact(c, g, f.ID, c.json || cmd.Flags().Changed("format"))
		case around != "":
			f, err := folderNamed(p.Root, p.found, around)
			if err != nil {
				return err
			}
			g, _ = g.Around(f.ID) // it was made of what was found
		}
		if write == nil {
			return c.writeJSON(graph.ReportOf(cmd.Context(), p.Root, g))
		}
		return write(g, c.out)
	}
	return cmd
}

// printImpact lists what a change reaches.
func printImpact(c *console, g *graph.Graph, id string, asJSON bool) error {
	impact, _ := g.Impact(id) // it was made of what was found
	if asJSON {
		return c.writeJSON(impact)
	}
	t := &table{heads: []string{"DELIVERABLE", "STEPS", "VIA", "STATE", "NAME"}}
	for _, r := range impact.Reaches {
		n, _ := g.Node(r.Deliverable)
		t.add(r.Deliverable, fmt.Sprint(r.Distance), r.Via, stateWord(r.State), n.Name)
	}
	c.print(t, "nothing comes after "+impact.Deliverable)
	return nil
}

// dependencies is a project's graph, read for a command.
type dependencies struct {
	Root string
	*graph.Graph
	found *scan.Result
}

// loadDependencies reads the project that a command names. What could not be read is warned of.
func loadDependencies(c *console, cmd *cobra.Command) (*dependencies, error) {
	_, root, err := c.project(cmd)
	if err != nil {
		return nil, err
	}
	found, err := scan.Scan(cmd.Context(), root, scan.Options{})
	if err != nil {
		return nil, err
	}
	if found.Truncated {
		c.warn("the project is larger than what is looked at: deliverables are missing")
	}
	g, unread, err := load.Graph(cmd.Context(), root, found.Deliverables)
	if err != nil {
		return nil, err
	}
	warnOf(c, found.Unread())
	warnOf(c, unread)
	return &dependencies{root, g, found}, nil
}

// warnOf reports what a command could not read.
func warnOf(c *console, all []finding.Finding) {
	for _, f := range all {
		c.warn(f.Path + ": " + f.Message)
	}
}

// stateWord is a lifecycle state as lists show it.
func stateWord(state string) string {
	if state == "" {
		return scan.Unknown
	}
	return strings.ToLower(state)
}
