package registerfile

import (
	"context"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"belay/internal/durable"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
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
}

// Totals are the numbers of a report. Errors and warnings are the original's; the
// others are beyond it.
type Totals struct {
	FilesScanned  int `json:"filesScanned"`
	PassFiles     int `json:"passFiles"`
	FailFiles     int `json:"failFiles"`
	ErrorFiles    int `json:"errorFiles"`
	TotalErrors   int `json:"totalErrors"`
	TotalWarnings int `json:"totalWarnings"`
	ExtraErrors   int `json:"extraErrors"`
	ExtraWarnings int `json:"extraWarnings"`
}

// Lint judges every register of a project, and what its summaries say of it. The
// project is opened by the caller.
func (f *Files) Lint(ctx context.Context, project *os.Root) (*Report, error) {
	places, err := Find(ctx, project)
	if err != nil {
		return nil, err
	}
	known := newKnown(project, places)
	report := &Report{Files: make([]FileReport, len(places))}
	var g errgroup.Group
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i, p := range places {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			report.Files[i] = f.lintPlace(project, p, known)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	report.Files = slices.DeleteFunc(report.Files, func(r FileReport) bool { return r.Path == "" })
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
	report.total()
	return report
}

// lintPlace judges a deliverable's register and the summary of it. The zero report
// stands for a deliverable without a register.
func (f *Files) lintPlace(project *os.Root, p Place, known *known) FileReport {
	name, folder := path.Join(p.Dir, layout.RegisterFile), path.Base(p.Dir)
	data, _, err := durable.ReadFile(project, name, register.MaxBytes)
	if err != nil {
		if missing(project, name, err) {
			return FileReport{}
		}
		return unread(name, err)
	}
	r := register.Parse(data)
	report := lintRegister(name, folder, r)
	report.Findings = append(report.Findings, r.CheckProject(name, known, f.o.Clock().UTC().Format(time.DateOnly))...)
	summary := path.Join(p.Dir, layout.DependenciesFile)
	if text, _, err := durable.ReadFile(project, summary, MaxSummary); err == nil {
		report.Findings = append(report.Findings, register.ParseSummary(text).Check(summary, folder, r)...)
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
	r.Summary = t
}

// OK reports whether there is no error: none of the original's, and in strict mode
// none beyond it.
func (r *Report) OK(strict bool) bool {
	return r.Summary.FailFiles == 0 && r.Summary.ErrorFiles == 0 && (!strict || r.Summary.ExtraErrors == 0)
}

// known is the project as its registers refer to it. States are read when they are
// asked for.
type known struct {
	project *os.Root
	dirs    map[string]string
	mu      sync.Mutex
	states  map[string]string
}

var _ register.Project = (*known)(nil)

func newKnown(project *os.Root, places []Place) *known {
	k := &known{project: project, dirs: make(map[string]string, len(places)), states: map[string]string{}}
	for _, p := range places {
		k.dirs[p.ID] = p.Dir
	}
	return k
}

// Has implements [register.Project].
func (k *known) Has(id string) bool { return k.dirs[id] != "" }

// maxStatus is how much of a status file is read for its state.
const maxStatus = 1 << 20

// State implements [register.Project].
func (k *known) State(id string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if state, ok := k.states[id]; ok {
		return state
	}
	data, _, err := durable.ReadFile(k.project, path.Join(k.dirs[id], layout.StatusFile), maxStatus)
	state := ""
	if err == nil {
		field, _ := document.Find(data, "Current State")
		state = strings.ToUpper(strings.Trim(field.Value, "`* "))
	}
	k.states[id] = state
	return state
}
