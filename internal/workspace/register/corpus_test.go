package register

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// corpus is the folder of real projects.
func corpus(t testing.TB) string {
	t.Helper()
	root := os.Getenv("BELAY_CORPUS")
	if root == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	return root
}

// registersOf are the registers of a project, by path.
func registersOf(t testing.TB, root string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "PKG-*", "1_Working", "DEL-*", "Dependencies.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no registers: %v", root, err)
	}
	return paths
}

// verdict is what is compared of a finding.
type verdict struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Row      int    `json:"row"`
	Column   string `json:"column"`
	Value    string `json:"value"`
}

// TestVerdicts compares every finding with what the original's linter says.
//
// Covers: workspace 6.2, 6.3, 6.4, 6.5, 6.8
func TestVerdicts(t *testing.T) {
	t.Parallel()
	root := corpus(t)
	for _, project := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		data, err := os.ReadFile(filepath.Join(root, "expected", "lint-"+project+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var expected struct {
			Files []struct {
				Path     string
				Rows     int
				Findings []verdict
			}
		}
		if err := json.Unmarshal(data, &expected); err != nil {
			t.Fatal(err)
		}
		if len(expected.Files) != len(registersOf(t, filepath.Join(root, project))) {
			t.Errorf("%s: %d files are expected", project, len(expected.Files))
		}
		for _, file := range expected.Files {
			r := parseFile(t, filepath.Join(root, project, filepath.FromSlash(file.Path)))
			if r.Records() != file.Rows {
				t.Errorf("%s: %d rows, want %d", file.Path, r.Records(), file.Rows)
			}
			got := []verdict{}
			for _, f := range r.Lint(file.Path, filepath.Base(filepath.Dir(file.Path))) {
				if !f.Extra {
					got = append(got, verdict{string(f.Severity), f.Code, f.Row, f.Column, f.Value})
				}
			}
			if diff := cmp.Diff(file.Findings, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file.Path, diff)
			}
		}
	}
}

func parseFile(t testing.TB, path string) *Register {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := Parse(data)
	if !bytes.Equal(r.Bytes(), data) {
		t.Errorf("%s is not what it was", path)
	}
	return r
}

// TestExtraFindings holds what is said beyond the original of the real projects.
func TestExtraFindings(t *testing.T) {
	t.Parallel()
	root := corpus(t)
	count := map[string]int{}
	for _, project := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		for _, path := range registersOf(t, filepath.Join(root, project)) {
			for _, f := range parseFile(t, path).Lint(path, filepath.Base(filepath.Dir(path))) {
				if f.Extra {
					count[f.Code]++
					t.Logf("%s %s row %d: %s %q", f.Code, strings.TrimPrefix(path, root), f.Row, f.Message, f.Value)
				}
				if f.Severity != finding.Error && f.Severity != finding.Warning || f.Message == "" || f.Fix == "" {
					t.Errorf("%s: half a finding: %+v", path, f)
				}
			}
		}
	}
	t.Log(count)
}
