package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
)

func newAudit(c *console) *cobra.Command {
	return group("audit", "List and check the log of decisions, refusals and undos", "  belay audit list\n  belay audit verify", newAuditList(c), newAuditVerify(c))
}

func newAuditVerify(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that nobody changed the audit log",
		Long: `Check that nobody changed the audit log. Every line carries the hash of the line before
it, and a second file holds the last hash. So belay finds lines that were changed, added,
removed or cut off. Sessions record the position of the log at the end of each turn.
belay compares these positions, for every known project, to find out whether the whole log
was removed or replaced. The exit code is 1 if something is wrong.`,
		Example: "  belay audit verify\n  belay audit verify --json",
		Args:    cobra.NoArgs,
	}
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error { return verifyAudit(ctx, c, a) })
	}
	return cmd
}

func verifyAudit(ctx context.Context, c *console, a *app.App) error {
	v, err := a.VerifyAudit(ctx)
	if err != nil {
		return err
	}
	switch {
	case c.json:
		if err := c.writeJSON(v); err != nil {
			return err
		}
	case v.Whole:
		c.fields("file", v.File, "lines", quantity.Count(v.Lines, "line", "lines")+", as they were written",
			"compared", "with "+quantity.Count(v.Sessions, "session", "sessions"))
	}
	if !v.Whole {
		return failed(ExitFailed, "compare "+v.File+" with a backup; what comes after that line proves nothing", errors.New(v.Problem))
	}
	return nil
}
