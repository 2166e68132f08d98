package cli

import (
	"context"

	"github.com/spf13/cobra"

	"belay/internal/app"
)

func newSessionInterrupt(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "interrupt SESSION",
		Short: "Stop the turn that runs in a session, whichever process runs it",
		Long: `Stop the turn that runs in a session, in whichever process of this user it runs. The
command returns when the request is made; the turn then ends with exit code 130 and
a whole record.`,
		Example: "  belay session interrupt sess_2f4c8e0a",
		Args:    needsSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rooms(cmd, func(ctx context.Context, a *app.App) error {
				if err := a.Engine.Interrupt(ctx, args[0], ""); err != nil {
					return err
				}
				c.note("interrupted", args[0])
				return nil
			})
		},
	}
}
