package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/quantity"
	filetool "belay/internal/tool/files"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/renumber"
	"belay/internal/workspace/scan"
)

// renumbered is the answer of the command as JSON.
type renumbered struct {
	ProjectRoot string `json:"projectRoot"`
	// Written is set where the changes were made, and not only shown; Change is then
	// what belay undo takes.
	Written   bool                `json:"written"`
	Change    string              `json:"change,omitempty"`
	Registers []renumber.Register `json:"registers"`
	Changes   []fileChange        `json:"changes"`

	files []changeset.File
}

type fileChange struct {
	Path string `json:"path"`
	Diff string `json:"diff"`
}

func newDepsRenumber(c *console) *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "renumber",
		Short: "Replace invalid ids in registers",
		Long: `Give every row of every register valid ids: DependencyID, FromDeliverableID and
TargetDeliverableID. Valid ids stay. References to changed DependencyIDs change too, in
_DEPENDENCIES.md and in open proposals. The history in _DEPENDENCIES.md stays and gets a
line with the changes. An id that can mean several deliverables, or none, stays and is
listed.

Without --write the command only shows the diff. --write makes all changes or none;
belay undo reverts them.`,
		Example: "  belay deps renumber\n  belay deps renumber --write\n  belay undo",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.Flags().BoolVar(&write, "write", false, "write it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		done, err := renumberProject(cmd.Context(), c, cfg)
		if err != nil {
			return err
		}
		if !c.json {
			for _, f := range done.Changes {
				c.printPatch(f.Diff)
			}
		}
		if write && len(done.files) > 0 {
			if done.Change, err = writeAll(cmd.Context(), c, cfg, done); err != nil {
				return err
			}
			done.Written = true
		}
		return answer(c, done, func() { noteRenumbered(c, done) })
	}
	return cmd
}

// renumberProject works out what would change.
func renumberProject(ctx context.Context, c *console, cfg *config.Config) (done renumbered, err error) {
	root, err := settledRoot(ctx, c, cfg)
	if err != nil {
		return done, err
	}
	found, err := scan.Scan(ctx, root, scan.Options{})
	if err != nil {
		return done, err
	}
	plan, err := renumber.Make(ctx, root, found, time.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return done, err
	}
	done = renumbered{ProjectRoot: root, Registers: plan.Registers, Changes: []fileChange{}, files: plan.Files}
	for _, f := range plan.Files {
		done.Changes = append(done.Changes, fileChange{f.Path, filetool.Compare(f.Path, f.Before, f.After)})
	}
	return done, nil
}

// writeAll makes the changes, and returns the name under which they can be taken back.
func writeAll(ctx context.Context, c *console, cfg *config.Config, done renumbered) (string, error) {
	store, err := app.OpenUndo(cfg)
	if err != nil {
		return "", err
	}
	change, err := store.Make(ctx, done.ProjectRoot, "deps renumber", c.person(), done.files)
	return change.ID, err
}

// maxStaying is how many ids that stay are listed for people.
const maxStaying = 20

func noteRenumbered(c *console, done renumbered) {
	ids, stay := 0, 0
	for _, r := range done.Registers {
		ids += len(r.Changes)
		for _, p := range r.Left {
			if stay++; stay > maxStaying {
				continue
			}
			text := line(r.Path)
			if p.Row > 0 {
				text += fmt.Sprintf(":%d %s %s", p.Row, p.Column, line(p.Value))
			}
			c.warn(text + " stays: " + line(p.Problem))
		}
	}
	if more := stay - maxStaying; more > 0 {
		c.warn(quantity.Count(more, "other id stays", "other ids stay") + "; --json lists them all")
	}
	what := quantity.Count(ids, "id", "ids") + " in " + quantity.Count(len(done.files), "file", "files")
	switch {
	case len(done.files) == 0:
		c.note("nothing", "to do: no id can be made valid")
	case done.Written:
		c.note("written", what+"; belay undo takes it back")
	default:
		c.note("nothing", "is written yet; --write changes "+what)
	}
}
