package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

var update = flag.Bool("update", false, "rewrite what is expected of the real projects")

// The real projects have these findings, of which every kind was looked at and is
// true: how many there are of each, and where the first of them is. A verdict that
// changes is looked at again before -update takes it over. Texts of the projects are
// not kept here.
// Covers: workspace 12.1, 12.2, 12.3
func TestCorpora(t *testing.T) {
	t.Parallel()
	corpora := os.Getenv("BELAY_CORPUS")
	if corpora == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	for _, name := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := validated(t, filepath.Join(corpora, name), Options{Today: "2026-11-20"})
			first := map[string]string{}
			known := map[string]bool{}
			for _, r := range AllRules() {
				known[r.Code] = true
			}
			tallies := []string{}
			for _, f := range report.Findings {
				if first[f.Code] == "" {
					first[f.Code] = fmt.Sprintf("line %d", f.Line)
				}
				if !known[f.Code] {
					t.Errorf("%s is no rule", f.Code)
				}
			}
			for _, n := range report.Summary.Codes {
				tallies = append(tallies, fmt.Sprintf("%s %s %d, first at %s", n.Severity, n.Code, n.Count, first[n.Code]))
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				data, err := json.MarshalIndent(tallies, "", " ")
				if err == nil {
					err = os.WriteFile(golden, append(data, '\n'), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tallies); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if errors, warnings := finding.Count(report.Findings); errors != report.Summary.Errors || warnings != report.Summary.Warnings {
				t.Errorf("%d errors, %d warnings, told %+v", errors, warnings, report.Summary)
			}
			for _, f := range report.Findings {
				if f.Fix == "" || f.Message == "" || f.Code == "" {
					t.Errorf("%+v says too little", f)
				}
			}
		})
	}
}
