package cli

import (
	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
)

func newDoctor(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine and the configuration",
		Long: `Check the configuration, folders, locks, personas, provider and limits that belay
relies on. It changes nothing and makes no network call. The exit code is 1 if a problem was found.`,
		Example: "  belay doctor\n  belay doctor --provider anthropic --json",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "look at the project in `DIR` (default: the one that encloses the current folder)")
	setting(cmd, "provider", "provider", "look at the provider `NAME`")
	setting(cmd, "instructions", "instructions", "look at the instruction root `DIR`")
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, problems := config.Examine(c.layers(cmd))
		checks := app.Doctor(cmd.Context(), cfg, problems...)
		if c.json {
			if err := c.writeJSON(map[string]any{"checks": orEmpty(checks)}); err != nil {
				return err
			}
		} else {
			t := &table{heads: []string{"CHECK", "RESULT", "DETAIL", "NEXT"}}
			for _, k := range checks {
				t.add(k.Name, string(k.Level), k.Detail, k.Next)
			}
			c.print(t, "nothing to check")
		}
		for _, k := range checks {
			if k.Level == app.Problem {
				return ended(ExitFailed)
			}
		}
		return cmd.Context().Err()
	}
	return cmd
}
