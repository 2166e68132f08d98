package registerlint

import (
	"slices"

	"belay/internal/durable"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// worker is one goroutine with memory that it uses again.
type worker struct {
	*projectLint
	buffer []byte
	nearby dir.Nearby
	// open is the current folder, nil where it cannot be opened without following a link.
	open dir.Dir
}

// keepBuffer is how much memory a goroutine keeps between files.
const keepBuffer = 1 << 20

// read reads a file of a folder, whose content is valid until the next one is read. A
// link that stays in the project is followed, which is slower.
func (w *worker) read(folder *scan.Folder, name string, most int) ([]byte, error) {
	if w.open != nil {
		data, err := w.open.Read(name, w.buffer, most+1)
		if err == nil && len(data) > most {
			return nil, durable.ErrTooLarge
		}
		if err == nil {
			if cap(data) <= keepBuffer {
				w.buffer = data
			}
			return data, nil
		}
	}
	data, _, err := durable.ReadFile(w.project, folder.Path+"/"+name, int64(most))
	return data, err
}

// folder judges a deliverable's register and the summary of it.
func (w *worker) folder(folder *scan.Folder) FileReport {
	w.open = nil
	if d, err := w.nearby.Enter(folder.Path); err == nil {
		defer d.Close()
		w.open = d
	}
	name := folder.Path + "/" + layout.RegisterFile
	data, err := w.read(folder, layout.RegisterFile, register.MaxBytes)
	if err != nil {
		return unread(name, err)
	}
	r := register.Parse(data)
	context := func() []byte {
		data, err := w.read(folder, layout.ContextFile, maxContext)
		if err != nil {
			return nil // project validate reports it
		}
		return data
	}
	judge := Judge{name, folder.Base(), w.known, w.o.Today, context}
	report := reportOn(name, r, judge.Findings(r))
	summary := folder.Path + "/" + layout.DependenciesFile
	if text, err := w.read(folder, layout.DependenciesFile, register.MaxSummary); err == nil {
		report.Findings = append(report.Findings, register.ParseSummary(text).Check(summary, folder.Base(), r)...)
	}
	return report
}

// maxContext caps a _CONTEXT.md that is read for the deliverable's name.
const maxContext = 1 << 20

// unread is the report on a register that could not be read.
func unread(name string, err error) FileReport {
	return FileReport{Path: name, Status: Failed, Findings: []finding.Finding{register.Unreadable(name, err)}}
}

// lintRegister is the report on a register that is judged by itself.
func lintRegister(name, folder string, r *register.Register) FileReport {
	return reportOn(name, r, r.Lint(name, folder))
}

// reportOn is the report on a register of which all that was found is known.
func reportOn(name string, r *register.Register, found []finding.Finding) FileReport {
	report := FileReport{Path: name, Rows: r.Records(), Status: Pass, Findings: append([]finding.Finding{}, found...)}
	if slices.ContainsFunc(report.Findings, func(f finding.Finding) bool { return !f.Extra && f.Severity == finding.Error }) {
		report.Status = Fail
	}
	return report
}
