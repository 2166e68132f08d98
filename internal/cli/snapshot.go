package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/workspace"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
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
that begin with an underline or a dot. Folders called .git or .belay are never copied.`,
		Example: "  belay snapshot new _Estimates EST_DEL-01-01 --from draft\n  belay snapshot new _Reconciliation COVERAGE --project ~/projects/bridge --json",
		Args:    cobra.ExactArgs(2),
	}
	cmd.Flags().StringVar(&from, "from", "", "publish the folder `DIR`")
	setting(cmd, "instructions", "instructions", "refuse a snapshot inside the instruction root `DIR`")
	projectFlag(cmd)
	jsonFlag(c, cmd)
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

func newSnapshotList(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the snapshots in a project's tool roots",
		Long: `List the snapshots in a project's tool roots, the newest of each first. "no" under
MANIFEST means that another program published the snapshot: it cannot be verified.`,
		Example: "  belay snapshot list\n  belay snapshot list --project ~/projects/bridge --json",
		Args:    cobra.NoArgs,
	}
	projectFlag(cmd)
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		all, cut, err := snapshot.Publications(cmd.Context(), root, nil)
		if err != nil {
			return err
		}
		first := len(all)
		all, left, err := pageOf(part, all, func(s snapshot.Published) string { return s.Path })
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(struct {
				Snapshots []snapshot.Published `json:"snapshots"`
				rest
				Truncated bool `json:"truncated,omitempty"`
			}{orEmpty(all), left, cut})
		}
		t := &table{heads: []string{"SNAPSHOT", "LATEST", "MANIFEST"}}
		for _, s := range all {
			t.add(s.Path, mark(s.Latest, "latest", ""), mark(s.Sealed, "yes", "no"))
		}
		c.print(t, "no snapshots")
		if cut {
			c.warn(fmt.Sprintf("the project has more than the first %d", first))
		}
		left.tell(c)
		return nil
	}
	return cmd
}

// mark is the word for a fact, or for its absence.
func mark(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func newSnapshotVerify(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify SNAPSHOT",
		Short: "Check that a snapshot is as it was published",
		Long: `Check a snapshot against its manifest: every file has its bytes, and nothing was added.
SNAPSHOT is its name, as belay snapshot new prints it, or the folder, relative to the
project or to this folder, as belay snapshot list shows it. The audit log has the hash of
the manifest. The exit code is 1 if something is wrong.`,
		Example: "  belay snapshot verify EST_2026-08-24_0959\n  belay snapshot verify _Estimates/EST_2026-08-24_0959",
		Args:    cobra.ExactArgs(1),
	}
	projectFlag(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		dir, err := publishedIn(cmd.Context(), root, args[0])
		if err != nil {
			return err
		}
		found, err := snapshot.Verify(cmd.Context(), root, dir)
		if err != nil {
			return err
		}
		switch {
		case c.json:
			if err := c.writeJSON(snapshotVerdict{dir, len(found) == 0, orEmpty(found)}); err != nil {
				return err
			}
		case len(found) == 0:
			c.fields("snapshot", dir, "files", "as they were published, and none besides")
		default:
			printKinds(c, found)
		}
		if len(found) > 0 {
			return failed(ExitFailed, "publish the right files again; this one stays as a record", errors.New(line(dir)+" is not as it was published"))
		}
		return nil
	}
	return cmd
}

// snapshotVerdict is whether a snapshot is as it was published, for programs.
type snapshotVerdict struct {
	Path     string            `json:"path"`
	Whole    bool              `json:"whole"`
	Findings []finding.Finding `json:"findings"`
}

// publishedIn is the folder of a snapshot, relative to the project. A person names it
// from the project's folder or from the current one, or by its name alone.
func publishedIn(ctx context.Context, root, named string) (string, error) {
	dir := filepath.Clean(filepath.FromSlash(named))
	if filepath.IsAbs(dir) || !isFolder(filepath.Join(root, dir)) {
		if abs, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(root, abs); err == nil {
				dir = rel
			}
		}
	}
	rel := filepath.ToSlash(dir)
	if filepath.IsLocal(dir) && strings.HasPrefix(rel, "_") && layout.IsSnapshot(path.Base(rel)) && isFolder(filepath.Join(root, dir)) {
		return rel, nil
	}
	all, _, err := snapshot.Publications(ctx, root, nil)
	if err != nil {
		return "", err
	}
	var found []string
	for _, s := range all {
		if s.Name == named {
			found = append(found, s.Path)
		}
	}
	switch len(found) {
	case 0:
		return "", failed(ExitNotFound, "list the project's snapshots with belay snapshot list", fmt.Errorf("the project has no snapshot %s", line(named)))
	case 1:
		return found[0], nil
	}
	return "", fault.New(fault.AmbiguousName, "%d snapshots have the name %s", len(found), line(named)).With("candidates", found).
		WithHint("name the one you mean: %s", line(strings.Join(found, ", ")))
}
