// Package registerlint judges the dependency registers of a project, all at once.
//
// What is wrong with one register is for package register to say; here the
// deliverables are known that its rows are about, and _DEPENDENCIES.md is beside
// it. A verdict counts what the original's linter finds, and tells the rest apart.
//
// Contract: compatible contract, 10; workspace spec, sections 5 and 6.
package registerlint

import (
	"context"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"belay/internal/workspace"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// Status is the verdict of the original's linter on a file.
type Status string

// The verdicts.
const (
	Pass   Status = "PASS"
	Fail   Status = "FAIL"
	Failed Status = "ERROR" // it could not be read
)

// Options say what a project's registers are judged by. The zero value works.
type Options struct {
	// Today is the day in UTC, YYYY-MM-DD; "" judges no date.
	Today string
	// Only selects registers and findings; nil selects all.
	Only *finding.Filter
	// Digest, where set, counts the findings, and the report lists no files.
	Digest *finding.Digest
}

// Report is what is wrong with registers.
type Report struct {
	// Only is what the report is about, where that is not all. The status of a file is
	// that of all its findings; the numbers of errors and warnings are of those that are
	// selected. Where codes are, files without any of them are not listed.
	Only    *finding.Filter `json:"only,omitempty"`
	Files   []FileReport    `json:"files"`
	Summary Totals          `json:"summary"`
}

// FileReport is what is wrong with one register, and with the summary beside it.
// Status counts the original's findings only.
type FileReport struct {
	Path     string            `json:"path"`
	Status   Status            `json:"status"`
	Rows     int               `json:"rows"`
	Findings []finding.Finding `json:"findings"`

	// found counts all that was found, also what is not reported.
	found Totals
}

// Totals are the numbers of a report. Errors and warnings are the original's; the
// extra ones are beyond it, and are counted for people only: programs compare the
// summary with the original's.
type Totals struct {
	FilesScanned  int `json:"filesScanned"`
	PassFiles     int `json:"passFiles"`
	FailFiles     int `json:"failFiles"`
	ErrorFiles    int `json:"errorFiles"`
	TotalErrors   int `json:"totalErrors"`
	TotalWarnings int `json:"totalWarnings"`
	ExtraErrors   int `json:"-"`
	ExtraWarnings int `json:"-"`
}

// Lint judges every register of the deliverables that are worked on, and what
// their summaries say of it. Found is what a scan of the root gave. The error is
// ctx's, that of a root that cannot be opened, or of a deliverable or package in
// [Options.Only] that the project does not have.
func Lint(ctx context.Context, root string, found *scan.Result, o Options) (*Report, error) {
	only, err := resolve.In(root, found, nil).Filter(o.Only, nil, nil)
	if err != nil {
		return nil, err
	}
	o.Only = only
	project, err := workspace.OpenProject(root)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	top, err := dir.Open(root)
	if err != nil {
		return nil, workspace.Unopened(root, err)
	}
	defer top.Close()
	l := projectLint{project: project, known: found.ByID(), o: o, report: &Report{Only: o.Only, Files: []FileReport{}}}
	var todo []job
	for _, folder := range found.Deliverables {
		if ((folder.Files | folder.Odd).Has(scan.Register) || folder.Unreadable) && o.Only.Enters(folder.Path) {
			todo = append(todo, job{name: folder.Path + "/" + layout.RegisterFile, folder: folder})
		}
	}
	for _, f := range found.Unread() {
		if o.Only.Enters(f.Path) {
			todo = append(todo, job{name: f.Path, unread: &f})
		}
	}
	for _, name := range misplaced(project, found) {
		if o.Only.Enters(path.Dir(name)) {
			todo = append(todo, job{name: name})
		}
	}
	slices.SortFunc(todo, func(a, b job) int { return strings.Compare(a.name, b.name) })
	start := func() (func(int) FileReport, func()) {
		w := worker{projectLint: &l, nearby: dir.Nearby{Top: top}}
		return func(n int) FileReport {
			switch j := todo[n]; {
			case j.unread != nil:
				return FileReport{Path: j.name, Status: Failed, Findings: []finding.Finding{register.Closed(*j.unread)}}
			case j.folder == nil:
				return lintMisplaced(project, j.name)
			default:
				return w.folder(j.folder)
			}
		}, w.nearby.Close
	}
	if err := scan.InOrder(ctx, max(2, runtime.GOMAXPROCS(0)), len(todo), start, func(_ int, one FileReport) { l.take(one) }); err != nil {
		return nil, err
	}
	return l.report, nil
}

// job is a register to judge, and the deliverable's folder that it is in, nil where it is
// misplaced. Unread is set where it is a folder of a package that could not be listed, with
// whatever registers that has.
type job struct {
	name   string
	folder *scan.Folder
	unread *finding.Finding
}

// projectLint is one look at all registers of a project.
type projectLint struct {
	project *os.Root
	known   scan.ByID
	o       Options
	quota   finding.Quota

	report *Report
}

// take adds the report on one file: to the totals, and to the digest or the list.
func (l *projectLint) take(one FileReport) {
	one.Findings = l.o.Only.Select(one.Findings)
	one.count()
	if l.o.Digest != nil {
		l.o.Digest.Add(one.Findings)
	} else {
		one.limit(&l.quota)
	}
	l.report.Summary.add(&one)
	silent := l.o.Only != nil && len(l.o.Only.Codes) > 0 && len(one.Findings) == 0
	if l.o.Digest == nil && !silent {
		l.report.Files = append(l.report.Files, one)
	}
}

// LintFile judges one file by itself, of which a caller has read data, or the error.
// Name is what the report calls it, folder the one that it is in: where that is a
// deliverable's, the rows are compared with it.
func LintFile(name, folder string, data []byte, err error, o Options) *Report {
	one := unread(name, err)
	if err == nil {
		one = lintRegister(name, folder, register.Parse(data))
	}
	l := projectLint{o: o, report: &Report{Only: o.Only, Files: []FileReport{}}}
	l.take(one)
	return l.report
}

// count counts what was found in a file.
func (f *FileReport) count() {
	t := &f.found
	for _, x := range f.Findings {
		switch {
		case x.Extra && x.Severity == finding.Error:
			t.ExtraErrors++
		case x.Extra:
			t.ExtraWarnings++
		case x.Severity == finding.Error:
			t.TotalErrors++
		default:
			t.TotalWarnings++
		}
	}
}

// limit leaves out the findings beyond the quota of a project's report.
func (f *FileReport) limit(quota *finding.Quota) {
	kept := quota.Keep(f.Findings)
	if more := len(f.Findings) - len(kept); more > 0 {
		f.Findings = append(slices.Clone(kept), register.More(f.Path, more))
		f.found.ExtraErrors++
	}
}

// add counts one file.
func (t *Totals) add(f *FileReport) {
	t.FilesScanned++
	switch f.Status {
	case Pass:
		t.PassFiles++
	case Fail:
		t.FailFiles++
	default:
		t.ErrorFiles++
	}
	t.TotalErrors += f.found.TotalErrors
	t.TotalWarnings += f.found.TotalWarnings
	t.ExtraErrors += f.found.ExtraErrors
	t.ExtraWarnings += f.found.ExtraWarnings
}

// OK reports whether there is no error among what the report is about: none of the
// original's, and in strict mode none beyond it.
func (r *Report) OK(strict bool) bool {
	return r.Summary.TotalErrors == 0 && (!strict || r.Summary.ExtraErrors == 0)
}
