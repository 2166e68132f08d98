package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
)

func newGC(c *console) *cobra.Command {
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove old logs and attachments that nothing refers to",
		Long: `Apply retention to every session of this user. What goes: log segments older than
log.retention, attachments that no transcript names, uploads, and contents that a
conflict left without a place, older than blobs.retention, runs of workflows that
ended longer than workflow.retention ago, and what crashed processes left. Records
and transcripts always stay. A session in which a turn runs is passed over.`,
		Example: "  belay gc --dry-run\n  belay gc --json",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would go")
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withApp(cmd, func(ctx context.Context, a *app.App) error {
			r, err := a.GC(ctx, dryRun)
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(r)
			}
			printGC(c, r, dryRun)
			return nil
		})
	}
	return cmd
}

func printGC(c *console, r app.GCReport, dryRun bool) {
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}
	busy := ""
	if r.Busy > 0 {
		busy = count(r.Busy, "session", "sessions") + ", a turn runs"
	}
	c.fields(
		"looked at", count(r.Sessions, "session", "sessions"),
		verb, fmt.Sprintf("%s, %s", count(r.Segments, "log segment", "log segments"), size(r.SegmentBytes)),
		"", fmt.Sprintf("%s, %s", count(r.Blobs, "attachment", "attachments"), size(r.BlobBytes)),
		"", count(r.Uploads, "upload", "uploads"),
		"", fmt.Sprintf("%s, %s", count(r.Runs, "run", "runs"), size(r.RunBytes)),
		"", fmt.Sprintf("%s, %s", count(r.Leftovers, "leftover", "leftovers"), size(r.LeftoverBytes)),
		"passed over", busy,
	)
}
