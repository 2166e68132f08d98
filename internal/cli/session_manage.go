package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/turn/changes"
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
	jsonFlag(c, cmd)
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, args []string) error {
		rec, err := a.Engine.Update(ctx, id, turn.SessionChange{Title: &args[1]})
		if err != nil {
			return err
		}
		return reportDone(c, map[string]any{"session": rec}, "renamed", id)
	})
	return cmd
}

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
	jsonFlag(c, cmd)
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
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
	return cmd
}

func newSessionInterrupt(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "interrupt SESSION",
		Short: "Stop the running turn of a session",
		Long: `Stop the running turn of a session, in whichever process of this user it runs. The
command returns when the request is made. The turn then ends with exit code 130 and a
complete record. A turn that waits for a person although no process runs it ends, too.`,
		Example: "  belay session interrupt sess_2f4c8e0a",
		Args:    needsSession,
		RunE: sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
			err := a.Engine.Interrupt(ctx, id, "")
			if fault.Is(err, fault.SessionNotFound) {
				return idle(ctx, a, id, err)
			}
			if err != nil {
				return err
			}
			return reportDone(c, onSession{SessionID: id, Done: "interrupted"}, "interrupted", id)
		}),
	}
	jsonFlag(c, cmd)
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

func newSessionDelete(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete SESSION",
		Short: "Delete a session's folder; refused while a turn runs",
		Long: `Delete a session: its record, transcript and log. belay gc removes attachments that
nothing else refers to. This cannot be undone; belay session export makes a copy first.`,
		Example: "  belay session export sess_2f4c8e0a old.tar.gz && belay session delete sess_2f4c8e0a",
		Args:    needsSession,
		RunE: sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
			if err := a.Engine.Delete(ctx, id); err != nil {
				return err
			}
			return reportDone(c, onSession{SessionID: id, Done: "deleted"}, "deleted", id)
		}),
	}
	jsonFlag(c, cmd)
	return cmd
}
