package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/turn"
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
	jsonFlag(c, cmd)
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
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

func newSessionUndo(c *console) *cobra.Command {
	var runs bool
	cmd := &cobra.Command{
		Use:   "undo SESSION [TURN]",
		Short: "Revert the file changes of a turn",
		Long: `Revert the file changes of a turn: of TURN, or of the last turn whose changes still stand.
belay restores all of its files, or none if one was changed since. The conversation stays,
and the next turn tells the agent. The command prints the files on stdout, one per line.

Protected files are removed if the turn made them, and never written. Files that other
programs run by themselves, such as .envrc, need --runs-by-itself. Look at them first with
belay session changes.`,
		Example: "  belay session undo sess_2f4c8e0a\n  belay session undo sess_2f4c8e0a turn_0198",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return needsSession(cmd, args)
		},
	}
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&runs, "runs-by-itself", false, "also put back files that other programs run by themselves")
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, args []string) error {
		turnID, note, err := undoTurn(ctx, a.Engine, id, args[1:])
		if err != nil {
			return err
		}
		done, err := a.Engine.Undo(ctx, changes.UndoRequest{SessionID: id, TurnID: turnID, RunsByItself: runs, By: c.person()})
		if err != nil {
			return err
		}
		done.Note = cmp.Or(done.Note, note)
		if c.json {
			return c.writeJSON(map[string]any{"undo": done})
		}
		if done.Note != "" {
			c.note("note", done.Note)
		}
		if done.Already {
			c.note("undone", fmt.Sprintf("the changes of %s were taken back already, %s; nothing was done now", done.TurnID, when(done.Time.Time)))
			return nil
		}
		c.note("undone", done.TurnID)
		for _, path := range done.Paths {
			c.write(line(path) + "\n")
		}
		return nil
	})
	return cmd
}

// undoTurn is the turn that an undo is about, and what is to be reported of an earlier
// undo of it.
func undoTurn(ctx context.Context, e turn.Engine, sessionID string, args []string) (turnID, note string, err error) {
	if len(args) > 0 {
		turnID, err = turnNamed(ctx, e, sessionID, args[0])
		return turnID, "", err
	}
	all, err := e.Changes(ctx, sessionID, "")
	if err != nil {
		return "", "", err
	}
	if t, ok := changes.LastStanding(all); ok {
		return t.Turn, t.Note, nil
	}
	return "", "", failed(ExitNotFound, "see what was changed, and taken back, with belay session changes "+sessionID,
		errors.New("no turn of this session has changes left to revert"))
}
