package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/workspace/undo"
)

func newUndo(c *console) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "undo [CHANGE]",
		Short: "Revert a change of registers, summaries or the coordination",
		Long: `Revert a change of a project that belay deps import, renumber or summary made, or belay
project coordination, or the same over HTTP: CHANGE, or the last one that still stands.
belay restores all of its files byte for byte and removes those that the change made, or
changes nothing if one was changed since. A proposal that was applied waits again. The
command prints the files on stdout, one per line.

For the changes of a turn use belay session undo. belay undo reverts no states, which only
go forward, nothing that belay project init made, and no snapshots.`,
		Example: "  belay undo\n  belay undo --project ~/projects/bridge --list",
		Args:    cobra.MaximumNArgs(1),
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&list, "list", false, "list the changes that can be reverted")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && strings.HasPrefix(args[0], "sess_") {
			return failed(ExitUsage, "did you mean belay session undo?", fmt.Errorf("%s is a session, and not a change", line(args[0])))
		}
		if len(args) > 0 && strings.TrimSpace(args[0]) == "" { // as of a variable that is not set
			return failed(ExitUsage, "leave it out to take back the last change, or name one of belay undo --list", errors.New("CHANGE is empty"))
		}
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		root, err := projectRoot(cfg)
		if err != nil {
			return err
		}
		store, err := app.OpenUndo(cfg)
		if err != nil {
			return err
		}
		if list {
			if len(args) == 1 {
				return failed(ExitUsage, "leave out the change, or --list", errors.New("--list lists all changes"))
			}
			all, err := store.List(cmd.Context(), root)
			if err != nil {
				return err
			}
			return listChanges(c, all)
		}
		id := ""
		if len(args) == 1 {
			id = args[0]
		}
		done, err := store.Undo(cmd.Context(), root, id, c.person())
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(map[string]any{"undo": done})
		}
		c.note("undone", line(done.What))
		for _, path := range done.Paths {
			c.write(line(path) + "\n")
		}
		return nil
	}
	return cmd
}

// listChanges lists what can be taken back, and what was.
func listChanges(c *console, all []undo.Change) error {
	if c.json {
		return c.writeJSON(map[string]any{"changes": all})
	}
	if len(all) == 0 {
		c.note("nothing", "is on record")
		return nil
	}
	t := table{heads: []string{"CHANGE", "FILES", "BY", "MADE", "UNDONE", "WHAT"}}
	for _, ch := range all {
		undone := "-"
		switch {
		case ch.Problem != "":
			t.add(ch.ID, "-", "-", "-", undone, "cannot be read")
			continue
		case ch.Undone != nil:
			undone = when(*ch.Undone)
		}
		t.add(ch.ID, fmt.Sprint(len(ch.Paths)), ch.By, when(ch.Time), undone, ch.What)
	}
	c.write(t.String(c.width))
	return nil
}
