package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
)

func newGC(c *console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove old logs and attachments that nothing refers to",
		Long: `Apply retention to every session of this user. belay removes log segments older than
log.retention; attachments that no transcript names, uploads and contents left by a
conflict, all older than blobs.retention; workflow runs that ended longer than
workflow.retention ago; and leftovers of crashed processes. Records and transcripts always
stay. Sessions with a running turn are skipped.`,
		Example: "  belay gc --dry-run\n  belay gc --json",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be removed")
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error {
		r, err := a.GC(ctx, dryRun)
		if err != nil {
			return err
		}
		return answer(c, r, func() { printGC(c, r, dryRun) })
	})
	return cmd
}

func printGC(c *console, r app.GCReport, dryRun bool) {
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}
	busy := ""
	if r.Busy > 0 {
		busy = quantity.Count(r.Busy, "session", "sessions") + ", a turn runs"
	}
	c.fields(
		"looked at", quantity.Count(r.Sessions, "session", "sessions"),
		verb, fmt.Sprintf("%s, %s", quantity.Count(r.Segments, "log segment", "log segments"), quantity.Size(r.SegmentBytes)),
		"", fmt.Sprintf("%s, %s", quantity.Count(r.Blobs, "attachment", "attachments"), quantity.Size(r.BlobBytes)),
		"", quantity.Count(r.Uploads, "upload", "uploads"),
		"", fmt.Sprintf("%s, %s", quantity.Count(r.Runs, "run", "runs"), quantity.Size(r.RunBytes)),
		"", fmt.Sprintf("%s, %s", quantity.Count(r.Leftovers, "leftover", "leftovers"), quantity.Size(r.LeftoverBytes)),
		"passed over", busy,
	)
}
