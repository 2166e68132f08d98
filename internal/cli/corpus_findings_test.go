package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// reviewed is a row of the table: how many findings of one code a command has on a real
// root, and what somebody who looked at all of them says of it.
type reviewed struct {
	Root    string `json:"root"`
	Command string `json:"command"`
	Code    string `json:"code"`
	Count   int    `json:"count"`
	// Verdict is "correct" or "wrong".
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

const reviewedFile = "testdata/reviewed-findings.json"

// Every finding on the real roots was reviewed: the table says for each code why its
// findings are correct. A number that changes is reviewed again before it is written
// down. The table has nothing of the roots but their names.
// Covers: workspace 12.1, 12.2, 12.3
func TestCorpusFindings(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	data, err := os.ReadFile(reviewedFile)
	if err != nil {
		t.Fatal(err)
	}
	var table []reviewed
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	want, got := map[string]int{}, map[string]int{}
	for _, r := range table {
		want[r.Root+": "+r.Command+": "+r.Code] = r.Count
		if r.Verdict != "correct" || strings.TrimSpace(r.Reason) == "" {
			t.Errorf("%+v is not reviewed, or wrong", r)
		}
	}
	if !slices.IsSortedFunc(table, func(a, b reviewed) int {
		return strings.Compare(a.Root+"\n"+a.Command+"\n"+a.Code, b.Root+"\n"+b.Command+"\n"+b.Code)
	}) {
		t.Error("the table is not sorted")
	}
	for _, root := range []string{"chirality-app", "proposal-6b", "psb-6a", "instruction-root"} {
		for command, all := range findingsOn(t, filepath.Join(corpora, root)) {
			for _, f := range all {
				got[root+": "+command+": "+f.Code]++
				if f.Message == "" || f.Fix == "" {
					t.Errorf("%s: %+v says too little", root, f)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-) and the program (+):\n%s", diff)
	}
}

// findingsOn are the findings of every command that looks at a whole root.
func findingsOn(t *testing.T, root string) map[string][]finding.Finding {
	t.Helper()
	home := t.TempDir()
	belay := func(args ...string) []finding.Finding {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "belay", args...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
		out, err := cmd.Output()
		if cmd.ProcessState.ExitCode() > ExitFailed {
			t.Fatalf("belay %q: %v\n%s", args, err, out)
		}
		var report struct{ Findings []finding.Finding }
		if err := json.Unmarshal(out, &report); err != nil {
			t.Fatal(err)
		}
		return report.Findings
	}
	papers, err := filepath.Glob(filepath.Join(root, "_Decomposition", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(papers) == 0 {
		return map[string][]finding.Finding{"persona lint": belay("persona", "lint", root, "--json")}
	}
	project := filepath.Join(home, "project")
	if err := os.CopyFS(project, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	all := map[string][]finding.Finding{"project validate": belay("project", "validate", "--project", root, "--json")}
	for _, paper := range papers {
		all["project init"] = append(all["project init"],
			belay("project", "init", project, "--decomposition", filepath.Join(project, "_Decomposition", filepath.Base(paper)), "--json")...)
	}
	return all
}
