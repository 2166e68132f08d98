package cli

import (
	"context"

	"github.com/spf13/cobra"

	"belay/internal/quantity"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

func newChangesKeep(c *console) *cobra.Command {
	var f changesFlags
	var only []string
	var runs bool
	cmd := &cobra.Command{
		Use:   "keep ID",
		Short: "Apply a kept change to the project",
		Long: `Apply a kept change to the project: all of its files, or none if another program has
changed one of them. With --only the other files stay kept. The applied files belong to
the turn of the command: belay session changes shows them, and belay session undo reverts
them unless the session is gone or a turn runs in it. The command prints the files on
stdout, one per line. Files that other programs run by themselves, such as .envrc or a git
hook, need --runs-by-itself. Look at them first with belay changes show.`,
		Example: "  belay changes keep chg_4f2a8c\n  belay changes keep chg_4f2a8c --only docs --only README.md",
		Args:    needsChange,
	}
	f.add(cmd)
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&runs, "runs-by-itself", false, "also apply files that other programs run by themselves")
	cmd.Flags().StringArrayVar(&only, "only", nil, "apply this `PATH`, or what a pattern such as out/* fits, and keep the rest; may be repeated")
	cmd.RunE = changeCommand(c, &f, func(ctx context.Context, e turn.Engine, project, id string) error {
		files, err := onlyOf(ctx, e, project, id, only)
		if err != nil {
			return err
		}
		done, err := e.ApplyKept(ctx, changes.KeptRequest{ProjectRoot: project, ID: id, Only: files, RunsByItself: runs, By: c.person()})
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(map[string]any{"change": done})
		}
		c.note("applied", done.ID)
		if done.Left > 0 {
			c.note("kept", quantity.Count(done.Left, "other file", "other files"))
		}
		if done.SessionID != "" {
			c.note("revert", "belay session undo "+done.SessionID+" "+done.TurnID)
		}
		for _, path := range done.Paths {
			c.write(line(path) + "\n")
		}
		return nil
	})
	return cmd
}

func newChangesDrop(c *console) *cobra.Command {
	var f changesFlags
	cmd := &cobra.Command{
		Use:     "drop ID",
		Short:   "Remove a kept change without applying it",
		Example: "  belay changes drop chg_4f2a8c",
		Args:    needsChange,
	}
	f.add(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = changeCommand(c, &f, func(ctx context.Context, e turn.Engine, project, id string) error {
		done, err := e.DropKept(ctx, changes.KeptRequest{ProjectRoot: project, ID: id, By: c.person()})
		if err != nil {
			return err
		}
		return reportDone(c, map[string]any{"change": done}, "dropped", done.ID)
	})
	return cmd
}

// changeCommand is what a command runs about the kept change that it names: it gets the whole id.
func changeCommand(c *console, f *changesFlags, do func(ctx context.Context, e turn.Engine, project, id string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return inChanges(c, cmd, f, func(ctx context.Context, e turn.Engine, project string) error {
			id, err := changeNamed(ctx, e, project, args[0])
			if err != nil {
				return err
			}
			return do(ctx, e, project, id)
		})
	}
}

// minChange is how much of a change's id is enough to name it.
const minChange = len("chg_") + 2

// changeNamed returns the id of the kept change that a person named.
func changeNamed(ctx context.Context, e turn.Engine, project, named string) (string, error) {
	all, err := e.Kept(ctx, project)
	if err != nil {
		return "", err
	}
	return resolveID(all, func(k changes.KeptChange) string { return k.ID }, named, minChange, "kept change")
}
