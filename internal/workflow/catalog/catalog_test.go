package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const flow = "id: flow\nagents: [{id: a, instructions: x}]\ntasks:\n  - {id: one, agent: a, prompt: p}\n"

// project makes a folder of files by their names.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func find(t *testing.T, dir string, l Limits, hides func(string) bool) (Listing, []string) {
	t.Helper()
	if l.FileBytes == 0 {
		l.FileBytes = 1 << 20
	}
	found, err := Find(t.Context(), dir, l, hides)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, f := range found.Workflows {
		paths = append(paths, f.Path)
	}
	return found, paths
}

func TestFind(t *testing.T) {
	t.Parallel()
	elsewhere := project(t, map[string]string{"x.yaml": flow})
	dir := project(t, map[string]string{
		"b/flow.yaml":            flow,
		"a.yml":                  flow,
		"broken.yaml":            "id: b\ntasks:\n  - {id: one, agent: nobody, prompt: x}\n",
		"playbook.yaml":          "- hosts: all\n  tasks:\n    - ping:\n",
		"Taskfile.yaml":          "version: '3'\ntasks:\n  build: {}\n",
		"notes.txt":              flow,
		".belay/runs/r/old.yaml": flow,
		"node_modules/m/x.yaml":  flow,
		"secret/flow.yaml":       flow,
		"_Runs/f_1/flow.yaml":    flow,
		"_Runs/f_1/run.json":     "{}",
		"_Runs/f_1/outputs.json": "{}",
		"with/outputs.json":      "{}",
		"with/flow.yaml":         flow,
		"large.yaml":             flow + strings.Repeat("# long\n", 1000),
	})
	if err := os.Symlink(elsewhere, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "x.yaml"), filepath.Join(dir, "out.yaml")); err != nil {
		t.Fatal(err)
	}
	l := Default
	l.FileBytes = 4 << 10
	found, paths := find(t, dir, l, func(p string) bool { return p == "secret" })
	if want := []string{"a.yml", "b/flow.yaml", "broken.yaml", "with/flow.yaml"}; !slices.Equal(paths, want) || found.Truncated {
		t.Fatalf("found %v (truncated %v), want %v", paths, found.Truncated, want)
	}
	if f := found.Workflows[0]; f.ID != "flow" || f.Tasks != 1 || f.Problems != nil {
		t.Errorf("a.yml is %+v", f)
	}
	if f := found.Workflows[2]; len(f.Problems) == 0 || f.Problems[0].Line != 3 {
		t.Errorf("broken.yaml is %+v", f)
	}
}

// What is wrong in a file that nobody may see is not listed where a workflow uses it.
func TestFindHidesWhatIsUsed(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{
		"flow.yaml":          "use: [secret.yaml]\n" + flow,
		"secret.yaml":        "password_of_ana: x\n",
		"other/visible.yaml": "use: [shared.yaml]\n" + flow,
		"other/shared.yaml":  "agents: 3\n",
	})
	found, paths := find(t, dir, Default, func(p string) bool { return p == "secret.yaml" })
	if !slices.Equal(paths, []string{"flow.yaml", "other/visible.yaml"}) {
		t.Fatalf("found %v", paths)
	}
	if said := fmt.Sprint(found.Workflows[0].Problems); strings.Contains(said, "ana") || !strings.Contains(said, "secret.yaml cannot be read") {
		t.Errorf("of flow.yaml: %s", said)
	}
	if said := fmt.Sprint(found.Workflows[1].Problems); !strings.Contains(said, "shared.yaml") {
		t.Errorf("of other/visible.yaml: %s", said)
	}
}

func TestLimitsEndTheSearch(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"1.yaml": flow, "2.yaml": flow, "3.yaml": flow})
	deep := project(t, map[string]string{strings.Repeat("d/", maxDepth) + "x.yaml": flow})
	for name, c := range map[string]struct {
		dir  string
		l    Limits
		want int
	}{
		"files":   {dir, Limits{Entries: 100, Read: 1 << 20, Files: 2}, 2},
		"entries": {dir, Limits{Entries: 1, Read: 1 << 20, Files: 10}, 1},
		"bytes":   {dir, Limits{Entries: 100, Read: int64(len(flow)), Files: 10}, 1},
		"depth":   {deep, Default, 0},
	} {
		found, paths := find(t, c.dir, c.l, nil)
		if len(paths) != c.want || !found.Truncated {
			t.Errorf("%s: found %v (truncated %v), want %d and truncated", name, paths, found.Truncated, c.want)
		}
	}
}

func TestFindHeedsItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, t.TempDir(), Default, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
