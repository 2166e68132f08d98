package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/session"
)

func newAudit(c *console) *cobra.Command {
	return group("audit", "Check the log of decisions, refusals and undos", "  belay audit verify", newAuditVerify(c))
}

func newAuditVerify(c *console) *cobra.Command {
	var asJSON bool
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
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error { return verifyAudit(ctx, c, a, asJSON) })
	}
	return cmd
}

func verifyAudit(ctx context.Context, c *console, a *app.App, asJSON bool) error {
	path := app.AuditPath(a.Config.Paths.StateDir)
	log, err := permit.OpenAudit(path, time.Now)
	if err != nil {
		return err
	}
	var seen []permit.Seen
	sessions := map[string]bool{}
	if err := a.Store.Upkeep.AuditPositions(ctx, func(id string, p session.AuditPosition) {
		if at := permit.Position(p); log.Has(at) {
			seen = append(seen, permit.Seen{Where: "session " + id, Position: at})
			sessions[id] = true
		}
	}); err != nil {
		return err
	}
	lines, err := log.Verify(ctx, seen...)
	if err != nil && !errors.Is(err, permit.ErrAuditBroken) {
		return err
	}
	if asJSON {
		found := map[string]any{"file": path, "lines": lines, "sessions": len(sessions), "whole": err == nil}
		if err != nil {
			found["problem"] = err.Error()
		}
		if werr := c.writeJSON(found); werr != nil {
			return werr
		}
	} else if err == nil {
		c.fields("file", path, "lines", count(lines, "line", "lines")+", as they were written",
			"compared", "with "+count(len(sessions), "session", "sessions"))
	}
	if err != nil {
		return failed(ExitFailed, "compare "+path+" with a backup; what comes after that line proves nothing", err)
	}
	return nil
}
