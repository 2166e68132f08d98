package registerlint

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/scan"
)

// TestLintProjects compares a report with what the original's linter says of the
// real projects: files, statuses, findings and totals.
func TestLintProjects(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("BELAY_CORPUS")
	if corpus == "" {
		t.Skip("BELAY_CORPUS is not set")
	}
	for _, project := range []string{"chirality-app", "psb-6a", "proposal-6b"} {
		data, err := os.ReadFile(filepath.Join(corpus, "expected", "lint-"+project+".json"))
		must(t, err)
		var want, got Report
		must(t, json.Unmarshal(data, &want))
		root := filepath.Join(corpus, project)
		found, err := scan.Scan(t.Context(), root, scan.Options{})
		must(t, err)
		report, err := Lint(t.Context(), root, found, Options{Today: "2026-11-21"})
		must(t, err)
		got = *report
		if got.OK(false) != (want.Summary.FailFiles == 0) || got.OK(true) {
			t.Errorf("%s: OK is %v, strictly %v", project, got.OK(false), got.OK(true))
		}
		for i := range got.Files {
			kept := []finding.Finding{}
			for _, f := range got.Files[i].Findings {
				if f.Extra {
					if f.Message == "" || f.Fix == "" || !strings.HasPrefix(f.Path, filepath.Dir(got.Files[i].Path)) {
						t.Errorf("half a finding: %+v", f)
					}
					continue
				}
				kept = append(kept, finding.Finding{Severity: f.Severity, Code: f.Code, Row: f.Row, Column: f.Column, Value: f.Value})
			}
			got.Files[i].Findings = kept
		}
		if diff := cmp.Diff(summaryOf(t, data), summaryOf(t, encoded(t, report))); diff != "" {
			t.Errorf("%s: the summary as JSON (-want +got):\n%s", project, diff)
		}
		got.Summary.ExtraErrors, got.Summary.ExtraWarnings = 0, 0
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(FileReport{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", project, diff)
		}
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}

// summaryOf is the summary of a report as programs read it.
func summaryOf(t *testing.T, report []byte) map[string]int {
	t.Helper()
	var r struct{ Summary map[string]int }
	must(t, json.Unmarshal(report, &r))
	return r.Summary
}

// TestLintOdd: what cannot be read is a finding, and other files are judged.
func TestLintOdd(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	working := filepath.Join(root, "PKG-01_Some", "1_Working")
	write := func(name, text string) {
		path := filepath.Join(working, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetPackageID,TargetDeliverableID,TargetRefID,TargetName,TargetLocation,Statement,EvidenceFile,SourceRef,EvidenceQuote,Explicitness," +
		"RequiredMaturity,ProposedMaturity,SatisfactionStatus,Confidence,Origin,FirstSeen,LastSeen,Status,Notes\n"
	row := func(number, target, needed, satisfied, seen string) string {
		return "v3.1,DEP-01-02-" + number + ",PKG-01,DEL-01-02,Name,EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE,," + target + ",,n,,s,x,y,q,EXPLICIT," +
			needed + ",," + satisfied + ",HIGH,EXTRACTED,2026-01-01," + seen + ",ACTIVE,\n"
	}
	write("DEL-01-02_Name/_STATUS.md", "# Status: DEL-01-02\n\n**Current State:** OPEN\n")
	write("DEL-01-02_Name/Dependencies.csv", header+row("001", "DEL-01-03", "IN_PROGRESS", "SATISFIED", "2026-03-06")+row("002", "DEL-09-09", "", "TBD", "2026-03-05")) // it is tomorrow somewhere
	write("DEL-01-03_Other/_STATUS.md", "# Status: DEL-01-03\n\n**Current State:** INITIALIZED\n")
	write("DEL-01-04_None/_STATUS.md", "# Status: DEL-01-04\n\n**Current State:** OPEN\n")
	must(t, os.Symlink("/etc/passwd", filepath.Join(working, "DEL-01-03_Other", "Dependencies.csv")))
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	report, err := Lint(t.Context(), root, found, Options{Today: "2026-03-04"})
	must(t, err)
	var codes []string
	for _, file := range report.Files {
		codes = append(codes, string(file.Status))
		for _, f := range file.Findings {
			codes = append(codes, f.Code)
		}
	}
	want := []string{"PASS", "IMPLEMENTS_NODE_CARDINALITY", "DATE_IN_FUTURE", "SATISFIED_BEFORE_MATURITY", "TARGET_NOT_FOUND", "ERROR", "FILE_UNREADABLE"}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.OK(false) || report.Summary.ErrorFiles != 1 || report.Summary.ExtraErrors != 1 {
		t.Errorf("summary %+v", report.Summary)
	}
}

// TestLintPackagesAndNames: the package of a deliverable is the one whose folder holds
// it, whatever the numbers of the two; and a register in a folder with a wrong name is
// judged as the original's linter does, and told apart.
func TestLintPackagesAndNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const header = "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType," +
		"TargetType,TargetPackageID,TargetDeliverableID,EvidenceFile,SourceRef,EvidenceQuote,SatisfactionStatus,Origin,FirstSeen,LastSeen,Status\n"
	row := func(pkg, name, targetPackage string) string {
		return "v3.1,DEP-01-02-001," + pkg + ",DEL-01-02," + name + ",EXECUTION,NOT_APPLICABLE,UPSTREAM,INTERFACE,DELIVERABLE," + targetPackage + ",DEL-07-01,x,y,q,TBD,EXTRACTED,2026-01-01,2026-01-02,RETIRED\n"
	}
	write("PKG-04_Site/1_Working/DEL-01-02_Land Survey/_STATUS.md", "**Current State:** OPEN\n")
	write("PKG-04_Site/1_Working/DEL-01-02_Land Survey/_CONTEXT.md", "# Context: DEL-01-02\n\n**Name:** Land Survey & Marks (phase 1)\n")
	write("PKG-05_Other/1_Working/DEL-07-01_Plan/_STATUS.md", "**Current State:** OPEN\n")
	register := "PKG-04_Site/1_Working/DEL-01-02_Land Survey/Dependencies.csv"
	for name, c := range map[string]struct {
		row  string
		want []string
	}{
		"numbers that differ": {row("PKG-004", "Land survey", "PKG-05"), nil},
		"another package":     {row("PKG-01", "Land survey", "PKG-05"), []string{"FROM_PACKAGE_NOT_HOST"}},
		"another target's":    {row("PKG-04", "Land survey", "PKG-07"), []string{"TARGET_PACKAGE_MISMATCH"}},
		"the name in context": {row("PKG-04", "Land Survey and Marks", "PKG-05"), nil},
		"the whole of it":     {row("PKG-04", "land survey and marks - phase 1", "PKG-05"), nil},
		"the name of another": {row("PKG-04", "Plan", "PKG-05"), []string{"FROM_DELIVERABLE_NAME_DIFFERS"}},
	} {
		write(register, header+c.row)
		if diff := cmp.Diff(c.want, extras(t, root)[register]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	write("PKG-05_Other/1_Working/DEL-7-2_Plan [x]/Dependencies.csv", "DependencyID\n\n")
	write("PKG-5_Other/1_Working/DEL-07-03_Plan/Dependencies.csv", "DependencyID\n\n")
	write("PKG-05_Other/1_Working/_Archive/DEL-7-4_Plan/Dependencies.csv", "DependencyID\n\n")
	got := extras(t, root)
	for _, name := range []string{"PKG-05_Other/1_Working/DEL-7-2_Plan [x]/Dependencies.csv", "PKG-5_Other/1_Working/DEL-07-03_Plan/Dependencies.csv"} {
		if diff := cmp.Diff([]string{"REGISTER_IN_MISNAMED_FOLDER"}, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if len(got) != 3 {
		t.Errorf("registers %v", got)
	}
}

// extras are the codes beyond the original's, by register.
func extras(t *testing.T, root string) map[string][]string {
	t.Helper()
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	report, err := Lint(t.Context(), root, found, Options{})
	must(t, err)
	all := map[string][]string{}
	for _, file := range report.Files {
		all[file.Path] = nil
		for _, f := range file.Findings {
			if f.Extra {
				all[file.Path] = append(all[file.Path], f.Code)
			}
		}
	}
	return all
}

// TestLintBounded: a few bytes that make many findings fill no memory, and the
// verdict counts them all.
func TestLintBounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	header := "RegisterSchemaVersion,DependencyID,FromPackageID,FromDeliverableID,FromDeliverableName,DependencyClass,AnchorType,Direction,DependencyType,Status\n"
	text := header + strings.Repeat(",x\n", 2100)
	const folders = 24
	for i := range folders {
		dir := filepath.Join(root, "PKG-01_Some", "1_Working", fmt.Sprintf("DEL-01-%d_x", i+10))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "Dependencies.csv"), []byte(text), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "_STATUS.md"), []byte("**Current State:** OPEN\n"), 0o600))
	}
	found, err := scan.Scan(t.Context(), root, scan.Options{})
	must(t, err)
	report, err := Lint(t.Context(), root, found, Options{Today: "2026-03-04"})
	must(t, err)
	told := 0
	for _, f := range report.Files {
		told += len(f.Findings)
	}
	all := report.Summary.TotalErrors + report.Summary.TotalWarnings + report.Summary.ExtraErrors + report.Summary.ExtraWarnings
	if len(report.Files) != folders || report.Summary.FailFiles != folders || told > finding.MaxReported+folders || told < finding.MaxReported || all <= finding.MaxReported {
		t.Errorf("%d files, %d findings told, %+v", len(report.Files), told, report.Summary)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
