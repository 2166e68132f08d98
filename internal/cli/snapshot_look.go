package cli

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/snapshot"
)

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
	var part paging
	part.flags(cmd)
	c.jsonFlag(cmd)
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
		all, left, err := pageOf(&part, all, func(s snapshot.Published) string { return s.Path })
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
SNAPSHOT is the folder, relative to the project or to this folder, as belay snapshot list
shows it. The audit log has the hash of the manifest. The exit code is 1 if something is
wrong.`,
		Example: "  belay snapshot verify _Estimates/EST_2026-08-24_0959",
		Args:    cobra.ExactArgs(1),
	}
	projectFlag(cmd)
	c.jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, root, err := c.project(cmd)
		if err != nil {
			return err
		}
		dir, err := publishedIn(root, args[0])
		if err != nil {
			return err
		}
		found, err := snapshot.VerifyContext(cmd.Context(), root, dir)
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
// from the project's folder or from the current one.
func publishedIn(root, named string) (string, error) {
	dir := filepath.Clean(filepath.FromSlash(named))
	if filepath.IsAbs(dir) || !isFolder(filepath.Join(root, dir)) {
		if abs, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(root, abs); err == nil {
				dir = rel
			}
		}
	}
	rel := filepath.ToSlash(dir)
	if !filepath.IsLocal(dir) || !strings.HasPrefix(rel, "_") || !layout.IsSnapshot(path.Base(rel)) || !isFolder(filepath.Join(root, dir)) {
		return "", failed(ExitNotFound, "list the project's snapshots with belay snapshot list", fmt.Errorf("the project has no snapshot %s", line(named)))
	}
	return rel, nil
}
