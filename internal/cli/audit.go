package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/permit"
)

func newAudit(c *console) *cobra.Command {
	return group("audit", "The record of decisions, refusals and undos", "  belay audit verify", newAuditVerify(c))
}

func newAuditVerify(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that the audit log is as it was written",
		Long: `Check the audit log: every line carries the hash of the one before it, and the last
line is remembered beside it, so a line that was changed, put in, taken out or cut
off is found. The exit code is then 1.`,
		Example: "  belay audit verify\n  belay audit verify --json",
		Args:    cobra.NoArgs,
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		path := app.AuditPath(cfg.Paths.StateDir)
		log, err := permit.OpenAudit(path, time.Now)
		if err != nil {
			return err
		}
		lines, err := log.Verify(cmd.Context())
		if err != nil && !errors.Is(err, permit.ErrAuditBroken) {
			return err
		}
		broken := ""
		if err != nil {
			broken = err.Error()
		}
		if asJSON {
			found := map[string]any{"file": path, "lines": lines, "whole": err == nil}
			if err != nil {
				found["problem"] = broken
			}
			if werr := c.writeJSON(found); werr != nil {
				return werr
			}
		} else if err == nil {
			c.fields("file", path, "lines", count(lines, "line", "lines")+", as they were written")
		}
		if err != nil {
			return failed(ExitFailed, "compare "+path+" with a backup; what comes after that line proves nothing", err)
		}
		return nil
	}
	return cmd
}
