package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/config"
	"belay/internal/fault"
	filetool "belay/internal/tool/files"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

func newDepsSummary(c *console) *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "summary [DIR] [DEL-ID]",
		Short: "Make the summaries of registers anew",
		Long: `Bring _DEPENDENCIES.md in line with Dependencies.csv, of one deliverable or of all that
have both: numbers, the states of rows that are listed, rows that are not listed yet,
sections that are missing. What people declare, and the tracking mode, is never touched.

Shown is what would change; --write makes the changes.`,
		Example: "  belay deps summary .\n  belay deps summary . DEL-01-02 --write",
		Args:    cobra.MaximumNArgs(2),
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		return c.summarize(cmd.Context(), cfg, args, write)
	}
	return cmd
}

func (c *console) summarize(ctx context.Context, cfg *config.Config, args []string, write bool) error {
	root, err := projectArg(cfg, args[:min(len(args), 1)])
	if err != nil {
		return err
	}
	var folders []workspace.Deliverable
	if len(args) == 2 {
		folders = make([]workspace.Deliverable, 1)
		folders[0], err = c.deliverable(ctx, cfg, root, args[1])
	} else {
		folders, err = withRegisters(ctx, cfg, root)
	}
	if err != nil {
		return err
	}
	rooms, err := app.OpenRegisters(cfg)
	if err != nil {
		return err
	}
	changed, failures := 0, 0
	for _, d := range folders {
		s, err := rooms.Files.Summarize(ctx, d, c.person(), write)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && len(args) == 2:
			return err
		case err != nil:
			failures++
			c.warn(line(d.Rel) + ": " + clean(fault.From(err).Message))
			continue
		case !s.Changes():
			continue
		}
		changed++
		c.printPatch(filetool.Compare(s.Path, s.Before, s.After))
	}
	what := count(changed, "summary", "summaries")
	switch {
	case changed == 0:
		c.note("nothing", "to do: every summary that was read agrees with its register")
	case write:
		c.note("written", what)
	default:
		c.note("nothing", "is written yet; --write changes "+what)
	}
	if failures > 0 {
		return failed(ExitFailed, "the warnings say why", fmt.Errorf("%s could not be made", count(failures, "summary", "summaries")))
	}
	return nil
}

// withRegisters are the deliverables of a project that have both files.
func withRegisters(ctx context.Context, cfg *config.Config, root string) ([]workspace.Deliverable, error) {
	found, err := scan.Scan(ctx, root, app.ScanOptions(cfg))
	if err != nil {
		return nil, err
	}
	var all []workspace.Deliverable
	for _, f := range found.Deliverables {
		if !f.Files.Has(scan.Register) || !f.Files.Has(scan.Dependencies) {
			continue
		}
		d, err := workspace.FindDeliverable(root, filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", layout.DependenciesFile, err)
		}
		all = append(all, d)
	}
	return all, nil
}
