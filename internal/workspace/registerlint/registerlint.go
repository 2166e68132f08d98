// Package registerlint judges the dependency registers of a project, all at once.
//
// What is wrong with one register is for package register to say; here the
// deliverables are known that its rows are about, and _DEPENDENCIES.md lies beside
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

	"golang.org/x/sync/errgroup"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
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

// Report is what is wrong with registers.
type Report struct {
	Files   []FileReport `json:"files"`
	Summary Totals       `json:"summary"`
}

// FileReport is what is wrong with one register, and with the summary beside it.
// Status counts the original's findings only.
type FileReport struct {
	Path     string            `json:"path"`
	Status   Status            `json:"status"`
	Rows     int               `json:"rows"`
	Findings []finding.Finding `json:"findings"`

	// found counts all that was found, also what is not told.
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
// their summaries say of it. Found is what a scan of the root gave, today the day
// after which no date may lie, YYYY-MM-DD.
func Lint(ctx context.Context, root string, found *scan.Result, today string) (*Report, error) {
	project, err := os.OpenRoot(root)
	if err != nil {
		return nil, fault.New(fault.WorkingRootInaccessible, "projectRoot can not be opened").With("projectRoot", root).Because(err)
	}
	defer project.Close()
	known := newKnown(found)
	var quota finding.Quota
	report := &Report{Files: make([]FileReport, len(found.Deliverables))}
	var g errgroup.Group
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i, folder := range found.Deliverables {
		if !(folder.Files | folder.Odd).Has(scan.Register) {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			one := lintFolder(project, folder, known, today)
			one.count()
			one.tell(&quota)
			report.Files[i] = one
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	report.Files = slices.DeleteFunc(report.Files, func(r FileReport) bool { return r.Path == "" })
	slices.SortFunc(report.Files, func(a, b FileReport) int { return strings.Compare(a.Path, b.Path) })
	report.total()
	return report, nil
}

// LintFile judges one file by itself, of which a caller has read data, or the error.
// Name is what the report calls it, folder the one that it lies in: where that is a
// deliverable's, the rows are compared with it.
func LintFile(name, folder string, data []byte, err error) *Report {
	report := &Report{Files: []FileReport{unread(name, err)}}
	if err == nil {
		report.Files[0] = lintRegister(name, folder, register.Parse(data))
	}
	report.Files[0].count()
	report.total()
	return report
}

// lintFolder judges a deliverable's register and the summary of it.
func lintFolder(project *os.Root, folder *scan.Folder, known known, today string) FileReport {
	name := path.Join(folder.Path, layout.RegisterFile)
	data, _, err := durable.ReadFile(project, name, register.MaxBytes)
	if err != nil {
		return unread(name, err)
	}
	r := register.Parse(data)
	report := lintRegister(name, folder.Base(), r)
	report.Findings = append(report.Findings, r.CheckProject(name, known, today)...)
	summary := path.Join(folder.Path, layout.DependenciesFile)
	if text, _, err := durable.ReadFile(project, summary, register.MaxSummary); err == nil {
		report.Findings = append(report.Findings, register.ParseSummary(text).Check(summary, folder.Base(), r)...)
	}
	return report
}

// unread is the report on a register that could not be read.
func unread(name string, err error) FileReport {
	return FileReport{Path: name, Status: Failed, Findings: []finding.Finding{register.Unreadable(name, err)}}
}

func lintRegister(name, folder string, r *register.Register) FileReport {
	report := FileReport{Path: name, Rows: r.Records(), Status: Pass, Findings: append([]finding.Finding{}, r.Lint(name, folder)...)}
	if slices.ContainsFunc(report.Findings, func(f finding.Finding) bool { return !f.Extra && f.Severity == finding.Error }) {
		report.Status = Fail
	}
	return report
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

// tell leaves out the findings for which a project's report has no room.
func (f *FileReport) tell(quota *finding.Quota) {
	told := quota.Keep(f.Findings)
	if more := len(f.Findings) - len(told); more > 0 {
		f.Findings = append(slices.Clone(told), register.More(f.Path, more))
		f.found.ExtraErrors++
	}
}

func (r *Report) total() {
	t := Totals{FilesScanned: len(r.Files)}
	for _, f := range r.Files {
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
	r.Summary = t
}

// OK reports whether there is no error: none of the original's, and in strict mode
// none beyond it.
func (r *Report) OK(strict bool) bool {
	return r.Summary.FailFiles == 0 && r.Summary.ErrorFiles == 0 && (!strict || r.Summary.ExtraErrors == 0)
}

// known is the project as its registers refer to it: states by id.
type known map[string]string

var _ register.Project = known(nil)

func newKnown(found *scan.Result) known {
	k := make(known, len(found.Deliverables))
	for _, f := range found.Deliverables {
		k[f.ID] = strings.ToUpper(f.Status)
	}
	return k
}

// Has implements [register.Project].
func (k known) Has(id string) bool { _, ok := k[id]; return ok }

// State implements [register.Project].
func (k known) State(id string) string { return k[id] }
