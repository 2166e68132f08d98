package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/workspace/coordination"
)

func newProjectCoordination(c *console) *cobra.Command {
	var set string
	cmd := &cobra.Command{
		Use:   "coordination",
		Short: "Show how a project is coordinated, or record it",
		Long: `Show how a project is coordinated, as _Coordination/_COORDINATION.md says. --set records
another mode, and changes nothing else of the file. The change is on the audit log. How
dependencies are tracked stays as it is.

  SCHEDULE_FIRST      the schedule decides the order of the work
  DEPENDENCY_TRACKED  the graph of dependencies decides it
  HYBRID              the schedule between milestones, the graph within them`,
		Example: "  belay project coordination\n  belay project coordination --set HYBRID",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&set, "set", "", "record `MODE`")
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		var r coordination.Record
		if !cmd.Flags().Changed("set") {
			r, err = coordination.Read(root)
		} else if mode, ok := coordination.ParseMode(set); !ok {
			return failed(ExitUsage, "name one of SCHEDULE_FIRST, DEPENDENCY_TRACKED and HYBRID", fmt.Errorf("--set: there is no mode %s", line(set)))
		} else {
			w, e := app.Coordinator(cfg)
			if e != nil {
				return e
			}
			r, err = w.Set(cmd.Context(), root, mode, c.person(), nil)
		}
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(r)
		}
		c.fields("mode", cmp.Or(string(r.Mode), "none"), "file", r.Path)
		if r.Problem != "" {
			c.warn(r.Problem)
		}
		return nil
	}
	return cmd
}
