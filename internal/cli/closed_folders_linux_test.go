package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that may not be read is named by each command that looks for registers: none says
// that there is nothing in it.
func TestClosedFolders(t *testing.T) {
	t.Parallel()
	const deliverable = "PKG-01_A/1_Working/DEL-01-01_Name"
	n := newNobody(t, map[string]string{
		"project/" + deliverable + "/Dependencies.csv":          "DependencyID\n",
		"project/" + deliverable + "/_DEPENDENCIES.md":          "# Dependencies: DEL-01-01 Name\n",
		"project/PKG-02_B/1_Working/DEL-02-01_Name/_STATUS.md":  "# Status: DEL-02-01 Name\n\n**Current State:** OPEN\n",
		"project/PKG-02_B/1_Working/DEL-02-01_Name/below/a.txt": "no register is looked for here\n",
		"project/_Estimates/PKG-01_A/a.txt":                     "nor here\n",
		"project/_Decomposition/bridge.md":                      "# Bridge\n\n### PKG-01 — A\n\n#### DEL-01-01_Name\n",
		"project/unrelated/a.txt":                               "nor here\n",
		"project/other/PKG-01_A/a.txt":                          "nor here: that is another project\n",
		"above/project/PKG-01_A/a.txt":                          "a project that is in a folder\n",
	})
	project := filepath.Join(n.place, "project")
	closed := func(path string) {
		t.Helper()
		path = filepath.Join(project, path)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) //nolint:gosec // so that it can be removed
	}
	for _, path := range []string{"PKG-02_B/1_Working/DEL-02-01_Name/below", "_Estimates/PKG-01_A", "unrelated", "other/PKG-01_A"} {
		closed(path)
	}
	if got := n.run(0, "deps", "order"); strings.Contains(got, "warning") {
		t.Errorf("folders without registers are missed:\n%s", got)
	}
	n.run(0, "deps", "renumber")
	closed("../above/project")
	for _, c := range []string{"lint", "summary", "renumber"} {
		if got := n.run(1, "deps", c, "--project", filepath.Join(n.place, "above")); !strings.Contains(got, "project") {
			t.Errorf("belay deps %s where the project is closed:\n%s", c, got)
		}
	}
	for _, path := range []string{deliverable, "PKG-01_A"} {
		closed(path)
		if got := n.run(3, "project", "status", "DEL-01-01"); path == deliverable && !strings.Contains(got, "hint: let your user read and enter "+path) {
			t.Errorf("the state of what is closed:\n%s", got)
		}
		for _, c := range []struct {
			code int
			args string
		}{{1, "deps lint"}, {1, "deps summary"}, {1, "deps renumber"}, {0, "deps ready"}, {0, "deps order"}, {0, "deps graph"}} {
			got := n.run(c.code, strings.Fields(c.args)...)
			if !strings.Contains(got, path) || strings.Contains(got, "no id can") || strings.Contains(got, "statat") {
				t.Errorf("belay %s with %s closed:\n%s", c.args, path, got)
			}
		}
		if got := n.run(1, "project", "validate"); strings.Contains(got, "DEL-01-01 has no folder") {
			t.Errorf("%s is closed, and not gone:\n%s", path, got)
		}
	}
}

// What may not be read is not called changed, and records of changes that may not be read are
// not called none.
func TestClosedUndo(t *testing.T) {
	t.Parallel()
	n := newNobody(t, map[string]string{"project/_Coordination/_COORDINATION.md": "# Coordination Record\n"})
	n.run(0, "project", "coordination", "--set", "HYBRID")
	folder := filepath.Join(n.place, "project/_Coordination")
	if err := os.Chmod(folder, 0o555); err != nil { //nolint:gosec // for its user
		t.Fatal(err)
	}
	if got := n.run(1, "project", "coordination", "--set", "SCHEDULE_FIRST"); !strings.Contains(got, "_Coordination/_COORDINATION.md cannot be changed: permission denied") {
		t.Errorf("a folder that may not be written:\n%s", got)
	}
	for path, want := range map[string]string{
		"project/_Coordination": "_Coordination/_COORDINATION.md cannot be read; nothing was changed",
		"state/belay/undo":      "the records of changes cannot be read",
	} {
		path = filepath.Join(n.place, path)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		if got := n.run(1, "undo"); !strings.Contains(got, want) {
			t.Errorf("%s is closed:\n%s", path, got)
		}
		if err := os.Chmod(path, 0o700); err != nil { //nolint:gosec // as it was, for its user
			t.Fatal(err)
		}
	}
	if got := n.run(2, "undo", ""); !strings.Contains(got, "CHANGE is empty") {
		t.Errorf("without a name:\n%s", got)
	}
	n.run(0, "undo")
}
