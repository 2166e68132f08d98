package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/turn/changes"
)

func newSessionChanges(c *console) *cobra.Command {
	var turnID string
	cmd := &cobra.Command{
		Use:   "changes SESSION",
		Short: "Show the file changes of a session, as diffs",
		Long: `Show the files that the turns of a session changed, as unified diffs, and which changes
were reverted. belay session undo reverts the changes of a turn.`,
		Example: "  belay session changes sess_2f4c8e0a\n  belay session changes sess_2f4c8e0a --turn turn_0198 --json",
		Args:    needsSession,
	}
	cmd.Flags().StringVar(&turnID, "turn", "", "only those of the turn `ID`")
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.inSession(cmd, args[0], func(ctx context.Context, a *app.App, id string) error {
			turnID, err := turnNamed(ctx, a.Engine, id, turnID)
			if err != nil {
				return err
			}
			all, err := a.Engine.Changes(ctx, id, turnID)
			if err != nil {
				return err
			}
			if c.json {
				return c.writeJSON(map[string]any{"sessionId": id, "turns": orEmpty(all)})
			}
			for _, t := range all {
				printChanges(c, t)
			}
			if len(all) == 0 {
				c.tell(c.paint(styleQuiet, "nothing"), "was changed")
			}
			return nil
		})
	}
	return cmd
}

func printChanges(c *console, t changes.ChangeSet) {
	head := fmt.Sprintf("── %s, %s", t.Turn, quantity.Count(len(t.Changes), "change", "changes"))
	if t.Undone != nil {
		head += ", taken back " + when(t.Undone.Time)
	}
	c.write(hang(head, c.width, 3) + "\n")
	if t.Note != "" {
		c.write("   " + hang(t.Note, c.width, 3) + "\n")
	}
	for _, change := range t.Changes {
		if change.Restored {
			c.write("   " + hang(line(change.Path)+" was changed by a command that may not, and this was not applied:", c.width, 3) + "\n")
		}
		c.printPatch(change.Diff)
	}
	c.write("\n")
}
