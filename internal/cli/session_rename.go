package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/turn"
)

func newSessionRename(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rename SESSION TITLE",
		Short: "Set what lists call a session; refused while a turn runs",
		Long: `Set the title of a session: what lists, the chat and the page call it. With an empty
title they go by its first message again.`,
		Example: "  belay session rename sess_2f4c8e0a \"The piers, second try\"\n  belay session rename sess_2f4c8e0a \"\"",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return failed(ExitUsage, "write the title in quotation marks; belay session list has the sessions",
				fmt.Errorf("name a session and its title, not %d words", len(args)))
		},
	}
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
			rec, err := a.Engine.Update(ctx, id, turn.SessionChange{Title: &args[1]})
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(map[string]any{"session": rec})
			}
			c.note("renamed", id)
			return nil
		})
	}
	return cmd
}
