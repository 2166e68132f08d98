package cli

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/proposal"
)

// proposalList is the answer of the list as JSON, as HTTP has it.
type proposalList struct {
	ProjectRoot string           `json:"projectRoot"`
	Proposals   []proposal.Shown `json:"proposals"`
	rest
}

func newDepsProposals(c *console) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "proposals",
		Short: "List the proposals of agents for registers",
		Long: `List the proposals that wait for a person, each with the number of rows that it would
add, change or retire in the present register. belay deps import shows one in full and
applies it; belay deps dismiss closes it.`,
		Example: "  belay deps proposals\n  belay deps proposals --all --json",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	part := listFlags(c, cmd)
	cmd.Flags().BoolVar(&all, "all", false, "also list those that were applied, dismissed or superseded")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		registers, err := app.OpenRegisters(cfg)
		if err != nil {
			return err
		}
		list, err := registers.Proposals.List(cmd.Context(), root, all)
		if err != nil {
			return err
		}
		list, left, err := pageOf(part, list, func(p proposal.Shown) string { return p.ID })
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(proposalList{root, list, left})
		}
		printProposals(c, list)
		if i := slices.IndexFunc(list, func(p proposal.Shown) bool { return p.State == proposal.Open && p.Deliverable != "" }); i >= 0 {
			c.note("look", lookAt(cmd, root, list[i]))
		}
		left.tell(c)
		return nil
	}
	return cmd
}

func printProposals(c *console, list []proposal.Shown) {
	t := &table{heads: []string{"DELIVERABLE", "NEW", "CHANGED", "RETIRED", "BY", "MADE", "STATE", "ID"}}
	for _, p := range list {
		added, changed, retired := "", "", ""
		if p.Diff != nil {
			different := 0
			for _, row := range p.Diff.Confirmed {
				if len(row.Changes) > 0 {
					different++
				}
			}
			added, changed, retired = strconv.Itoa(len(p.Diff.New)), strconv.Itoa(different), strconv.Itoa(len(p.Diff.Retired))
		}
		state := string(p.State)
		if p.Stale {
			state += ", the register changed since"
		}
		t.add(line(p.Deliverable), added, changed, retired, line(p.By), day(p.CreatedAt), state, p.ID)
	}
	c.print(t, "nothing is proposed")
	for _, p := range list {
		if p.Problem != "" {
			c.warn(p.ID + ": " + clean(p.Problem))
		}
	}
}

// lookAt is the command that shows a proposal, from the current folder.
func lookAt(cmd *cobra.Command, root string, p proposal.Shown) string {
	command, dir := "belay deps import "+finding.Word(line(p.Deliverable)), root
	if named := cmd.Flag("project"); named.Changed {
		dir = named.Value.String()
		command += " --project " + finding.Word(dir)
	} else if here, err := filepath.Abs("."); err == nil && here == root {
		dir = ""
	}
	return command + " " + finding.Word(filepath.Join(dir, filepath.FromSlash(proposal.Folder), p.ID+".csv"))
}

// day is the day of a moment in a record.
func day(moment string) string {
	at, _, _ := strings.Cut(line(moment), "T")
	return at
}

func newDepsDismiss(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "dismiss ID",
		Short:   "Close a proposal without applying it",
		Long:    "Close a proposal for a register without applying it. belay deps proposals lists the ids.",
		Example: "  belay deps dismiss 0197a3c2-5d1e-7c40-9a55-0d6a8b1f3e21",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, root, err := c.project(cmd)
			if err != nil {
				return err
			}
			registers, err := app.OpenRegisters(cfg)
			if err != nil {
				return err
			}
			p, err := registers.Proposals.Dismiss(cmd.Context(), root, args[0], c.person())
			if err != nil {
				return err
			}
			return reportDone(c, map[string]any{"proposal": p}, "dismissed", line(p.ID))
		},
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	return cmd
}
