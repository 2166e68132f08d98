package cli

import (
	"bytes"
	"fmt"
	"testing"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/validate"
)

// A report that is written piece by piece has the bytes of the whole.
func TestWriteJSONList(t *testing.T) {
	t.Parallel()
	written := func(write func(c *console) error) string {
		t.Helper()
		var out bytes.Buffer
		if err := write(newConsole(nil, &out, &bytes.Buffer{}, nil)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for n := range 3 {
		findings := []finding.Finding{}
		files := []registerlint.FileReport{}
		for i := range n {
			findings = append(findings, finding.Finding{Path: "a<b>/\n  \"findings\": []", Code: fmt.Sprint(i), Line: i, Message: "\n  \"files\": []"})
			files = append(files, registerlint.FileReport{Path: fmt.Sprint(i), Findings: findings})
		}
		report := validate.Report{ProjectRoot: "/x\n  \"findings\": []", Findings: findings, Summary: validate.Summary{Codes: []finding.Tally{}}}
		want := written(func(c *console) error { return c.writeJSON(report) })
		report.Findings = []finding.Finding{}
		if got := written(func(c *console) error { return writeJSONList(c, report, "findings", findings) }); got != want {
			t.Errorf("%d findings:\n%s\nwant\n%s", n, got, want)
		}
		lint := registerlint.Report{Files: files}
		want = written(func(c *console) error { return c.writeJSON(lint) })
		lint.Files = []registerlint.FileReport{}
		if got := written(func(c *console) error { return writeJSONList(c, lint, "files", files) }); got != want {
			t.Errorf("%d files:\n%s\nwant\n%s", n, got, want)
		}
	}
	if writeJSONList(newConsole(nil, &bytes.Buffer{}, &bytes.Buffer{}, nil), registerlint.Report{}, "none", []int{1}) == nil {
		t.Error("a list that is not there was written")
	}
}
