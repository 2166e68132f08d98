package validate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/workspace/finding"
)

// What is found is passed on folder by folder, and not kept.
func TestEach(t *testing.T) {
	t.Parallel()
	files := sound()
	for n := range 60 {
		// The folder whose name begins with another one's sorts between that one and its files.
		for _, label := range []string{"A", "A-B"} {
			files[fmt.Sprintf("PKG-01_Site Works/1_Working/DEL-02-%02d_%s/_STATUS.md", n, label)] = "# Status\n\n**Current State:** NOPE\n"
		}
	}
	files["_Decomposition/plan.md"] += "| DEL-03-01 | X | Civil | DOCUMENT | Lead |\n"
	root := write(t, files)
	want := validated(t, root, Options{})
	var got []finding.Finding
	report := validated(t, root, Options{Each: func(found []finding.Finding) {
		got = append(got, found...)
	}})
	finding.Sort(got)
	if diff := cmp.Diff(want.Findings, got); diff != "" {
		t.Errorf("%s", diff)
	}
	if report.Findings == nil || len(report.Findings) > 0 || len(got) < 400 {
		t.Errorf("%d findings are passed on, the report lists %d", len(got), len(report.Findings))
	}
	if diff := cmp.Diff(want.Summary, report.Summary); diff != "" {
		t.Errorf("%s", diff)
	}
}
