package cli

import (
	"context"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/turn/changes"
)

func newSessionFork(c *console) *cobra.Command {
	var turnID string
	cmd := &cobra.Command{
		Use:   "fork SESSION",
		Short: "Make a new session that continues from a turn of this one",
		Long: `Make a new session that has the conversation of this one up to the end of a turn. The
command prints its id on stdout. The old session stays as it is. The project's files do
not change: belay session undo reverts those.`,
		Example: "  belay session fork sess_2f4c8e0a\n  belay turn --session \"$(belay session fork sess_2f4c8e0a --turn turn_0198)\" \"Try it the other way\"",
		Args:    needsSession,
	}
	cmd.Flags().StringVar(&turnID, "turn", "", "go on from the turn `ID` (default: the last that has ended)")
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
			turnID, err := turnNamed(ctx, a.Engine, id, turnID)
			if err != nil {
				return err
			}
			rec, err := a.Engine.Fork(ctx, changes.ForkRequest{SessionID: id, TurnID: turnID})
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(map[string]any{"session": rec})
			}
			c.note("forked", "from "+rec.ForkedFrom.TurnID+" of "+rec.ForkedFrom.SessionID)
			c.write(rec.SessionID + "\n")
			return nil
		})
	}
	return cmd
}
