package cli

import (
	"context"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
)

func newSessionInterrupt(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "interrupt SESSION",
		Short: "Stop the running turn of a session",
		Long: `Stop the running turn of a session, in whichever process of this user it runs. The
command returns when the request is made. The turn then ends with exit code 130 and a
complete record.`,
		Example: "  belay session interrupt sess_2f4c8e0a",
		Args:    needsSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
				err := a.Engine.Interrupt(ctx, id, "")
				if fault.Is(err, fault.SessionNotFound) {
					return idle(ctx, a, id, err)
				}
				if err != nil {
					return err
				}
				return reportDone(c, onSession{SessionID: id, Done: "interrupted"}, "interrupted", id)
			})
		},
	}
	c.jsonFlag(cmd)
	return cmd
}

// idle explains an interrupt that met no turn: the session is there and nothing
// runs in it, or it is not there at all.
func idle(ctx context.Context, a *app.App, id string, err error) error {
	if _, unknown := a.Engine.Get(ctx, id); unknown != nil {
		return err
	}
	return failed(ExitNotFound, "there is nothing to stop; see how its last turn ended with belay session show "+id, err)
}
