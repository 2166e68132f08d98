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

	"belay/internal/workspace/validate"
)

// deliverablesIn are the deliverables of a root, each with its package.
func deliverablesIn(t *testing.T, root string) (all []string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "PKG-*", "1_Working", "DEL-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		pkg, _, _ := strings.Cut(filepath.Base(filepath.Dir(filepath.Dir(f))), "_")
		del, _, _ := strings.Cut(filepath.Base(f), "_")
		all = append(all, pkg+" "+del)
	}
	slices.Sort(all)
	return all
}

// The decomposition of each real project gives, with the real program, a root that
// passes validation: what is found there is in the decomposition itself.
// Over the project itself the same adds what is missing: docs/projects.md says so.
// Covers: workspace 12.1, 12.2, 12.3
func TestCorpusInit(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	papers, err := filepath.Glob(filepath.Join(corpora, "*", "_Decomposition", "*.md"))
	if err != nil || len(papers) < 3 {
		t.Fatalf("%d decompositions, %v", len(papers), err)
	}
	for _, paper := range papers {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(paper))), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			root := filepath.Join(home, "root")
			belay := func(args ...string) []byte {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "belay", args...)
				cmd.Dir = home
				cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
				out, err := cmd.Output()
				if cmd.ProcessState.ExitCode() > ExitFailed {
					t.Fatalf("belay %q: %v\n%s", args, err, out)
				}
				return out
			}
			var made struct{ DeliverableCount int }
			if err := json.Unmarshal(belay("project", "init", root, "--decomposition", paper, "--json"), &made); err != nil {
				t.Fatal(err)
			}
			var report validate.Report
			if err := json.Unmarshal(belay("project", "validate", "--project", root, "--json"), &report); err != nil {
				t.Fatal(err)
			}
			if !report.Valid || report.Summary.Deliverables != made.DeliverableCount || made.DeliverableCount < 30 {
				t.Errorf("%d deliverables were made; validation found %+v", made.DeliverableCount, report.Summary)
			}
			if diff := cmp.Diff(deliverablesIn(t, filepath.Dir(filepath.Dir(paper))), deliverablesIn(t, root)); diff != "" {
				t.Errorf("people have made of the decomposition (-), and belay (+):\n%s", diff)
			}
			for _, f := range report.Findings {
				if f.Path != "_Decomposition/"+filepath.Base(paper) {
					t.Errorf("%s %s:%d: %s", f.Code, f.Path, f.Line, f.Message)
				}
			}

			project := filepath.Join(home, "project")
			if err := os.CopyFS(project, os.DirFS(filepath.Dir(filepath.Dir(paper)))); err != nil {
				t.Fatal(err)
			}
			belay("project", "init", project, "--decomposition", filepath.Join(project, "_Decomposition", filepath.Base(paper)))
			report = validate.Report{}
			if err := json.Unmarshal(belay("project", "validate", "--project", project, "--json"), &report); err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				switch f.Code {
				case "ROOT_NO_INIT", "TOOL_ROOT_MISSING", "PACKAGE_FOLDERS_MISSING", "MEMORY_MISSING", "SEMANTIC_ABSENT", "DELIVERABLE_FILE_MISSING":
					t.Errorf("in the project it did not mend %s %s: %s", f.Code, f.Path, f.Message)
				}
			}
		})
	}
}
