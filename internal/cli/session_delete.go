package cli

import (
	"context"

	"github.com/spf13/cobra"

	"belay/internal/app"
)

func newSessionDelete(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete SESSION",
		Short: "Delete a session's folder; refused while a turn runs",
		Long: `Delete a session: its record, transcript and log. belay gc removes attachments that
nothing else refers to. This cannot be undone; belay session export makes a copy first.`,
		Example: "  belay session export sess_2f4c8e0a old.tar.gz && belay session delete sess_2f4c8e0a",
		Args:    needsSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
				if err := a.Engine.Delete(ctx, id); err != nil {
					return err
				}
				return reportDone(c, onSession{SessionID: id, Done: "deleted"}, "deleted", id)
			})
		},
	}
	c.jsonFlag(cmd)
	return cmd
}
