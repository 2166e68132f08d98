package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/workspace"
	"belay/internal/workspace/snapshot"
)

func newSnapshot(c *console) *cobra.Command {
	return group("snapshot", "Publish sealed copies of derived output, list and verify them",
		"  belay snapshot new _Estimates EST --from draft\n  belay snapshot list", newSnapshotNew(c), newSnapshotList(c), newSnapshotVerify(c))
}

func newSnapshotNew(c *console) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "new TOOL_ROOT LABEL",
		Short: "Publish a folder as a snapshot in a tool root",
		Long: `Copy a folder into a tool root of the project as LABEL_YYYY-MM-DD_HHmm (the time
in UTC; a second one of a minute ends in _2), with a manifest of checksums that
sha256sum -c checks, and make the tool root's _LATEST.md point to it. The snapshot
appears whole or not at all, and its files are read-only. The audit log has who published
it, and the hash of its manifest.

Without --from it copies the loose entries of the tool root: all but snapshots and names
that begin with an underline.`,
		Example: "  belay snapshot new _Estimates EST_DEL-01-01 --from draft\n  belay snapshot new _Reconciliation COVERAGE --project ~/projects/bridge --json",
		Args:    cobra.ExactArgs(2),
	}
	cmd.Flags().StringVar(&from, "from", "", "publish the folder `DIR`")
	setting(cmd, "instructions", "instructions", "refuse a snapshot inside the instruction root `DIR`")
	projectFlag(cmd)
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		if from != "" {
			if from, err = filepath.Abs(from); err != nil {
				return usage("--from %s: %v", from, err)
			}
		}
		t := snapshot.Target{ToolRoot: filepath.ToSlash(filepath.Clean(args[0])), Label: args[1]}
		root, err := settledRoot(cmd.Context(), c, cfg)
		if err != nil {
			return err
		}
		if t.Root, err = workspace.CheckRoot(root, cfg.Instructions, app.PrivateFolders(cfg)...); err != nil {
			return err
		}
		t.By.Name = c.person()
		o, err := app.SnapshotOptions(cfg)
		if err != nil {
			return err
		}
		s, err := snapshot.Publish(cmd.Context(), t, o, snapshot.Copy(cmd.Context(), t, o, from))
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(s)
		}
		c.fields("snapshot", s.Name, "in", s.ToolRoot, "files", fmt.Sprintf("%d, %s", len(s.Files), quantity.Size(s.Bytes)),
			"manifest", s.Manifest, "sha256", s.SHA256, "path", s.Path)
		return nil
	}
	return cmd
}
