package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/validate"
)

// A report that is written piece by piece says the same as the whole, and what it holds
// of the list is as the whole has it.
func TestJSONList(t *testing.T) {
	t.Parallel()
	same := func(whole any, name string, elements int, report any, element func(int) any) {
		t.Helper()
		var want, got bytes.Buffer
		if err := newConsole(nil, &want, &bytes.Buffer{}, nil).writeJSON(whole); err != nil {
			t.Fatal(err)
		}
		list := jsonList{c: newConsole(nil, &got, &bytes.Buffer{}, nil), name: name}
		for i := range elements {
			list.add(element(i))
		}
		if err := list.end(report); err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(want.Bytes(), &a) != nil || json.Unmarshal(got.Bytes(), &b) != nil || !reflect.DeepEqual(a, b) || want.Len() != got.Len() {
			t.Errorf("%d elements:\n%s\nwant\n%s", elements, got.String(), want.String())
		}
	}
	for n := range 3 {
		findings := []finding.Finding{}
		files := []registerlint.FileReport{}
		for i := range n {
			findings = append(findings, finding.Finding{Path: "a<b>/\n  \"findings\": []", Code: fmt.Sprint(i), Line: i, Message: "\n  \"files\": []"})
			files = append(files, registerlint.FileReport{Path: fmt.Sprint(i), Findings: findings})
		}
		report := validate.Report{ProjectRoot: "/x\n  \"findings\": []", Findings: findings, Summary: validate.Summary{Codes: []finding.Tally{}}}
		whole := report
		report.Findings = []finding.Finding{}
		same(whole, "findings", n, report, func(i int) any { return findings[i] })
		lint := registerlint.Report{Files: []registerlint.FileReport{}}
		same(registerlint.Report{Files: files}, "files", n, lint, func(i int) any { return files[i] })
	}
	list := jsonList{c: newConsole(nil, &bytes.Buffer{}, &bytes.Buffer{}, nil), name: "none"}
	list.add(1)
	if list.end(registerlint.Report{}) == nil {
		t.Error("a list that is not there was written")
	}
}
