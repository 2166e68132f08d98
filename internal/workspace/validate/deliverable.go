package validate

import (
	"context"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/snapshot"
)

// checkAll looks at every deliverable, knowledge type and tool root, several at a
// time.
func (p *project) checkAll(ctx context.Context) error {
	var jobs []job
	add := func(path string, look func(*worker)) {
		if p.o.Only.Enters(path) {
			jobs = append(jobs, job{path, look})
		}
	}
	for _, f := range p.Deliverables {
		add(f.Path, func(w *worker) { w.deliverable(f) })
	}
	for _, f := range p.KnowledgeTypes {
		add(f.Path, func(w *worker) { w.knowledgeType(f) })
	}
	pointers, snapshots := p.published()
	for _, rel := range pointers {
		add(rel, func(w *worker) { w.pointer(rel) })
	}
	for _, rel := range snapshots {
		add(rel, func(w *worker) {
			found, _ := snapshot.Verify(ctx, p.root, rel) // an error is ctx's, and ends all of it
			w.found = append(w.found, found...)
		})
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.path, b.path) })
	start := func() (func(int) looked, func()) {
		w := &worker{project: p, nearby: dir.Nearby{Top: p.top}}
		return func(n int) looked {
			w.found, w.files = nil, 0
			jobs[n].look(w)
			w.found = p.o.Only.Select(w.found)
			return looked{w.found, w.files}
		}, w.nearby.Close
	}
	return scan.InOrder(ctx, p.o.Workers, len(jobs), start, func(_ int, l looked) {
		p.files += l.files
		p.pass(l.found)
	})
}

// job is a folder to look at. All that is found there is in the folder, or about it.
type job struct {
	path string
	look func(*worker)
}

// looked is what a job gives.
type looked struct {
	found []finding.Finding
	files int
}

// worker is one goroutine with memory that it uses again.
type worker struct {
	project *project
	buffer  []byte
	// left and right are texts that are compared.
	left, right []byte
	found       []finding.Finding
	files       int
	nearby      dir.Nearby

	// Of the current folder.
	folder *scan.Folder
	open   dir.Dir
}

func (w *worker) add(f finding.Finding) { w.found = append(w.found, f) }

// deliverable checks one folder (workspace 2.1 and 12.3).
func (w *worker) deliverable(f *scan.Folder) {
	if !w.enter(f) {
		return
	}
	defer w.open.Close()
	w.presence()
	w.identity()
	state := w.status()
	w.evidence(state)
	w.contextFile()
	w.dependencies()
	w.references()
	w.memory()
}

// knowledgeType checks the folder of a knowledge type, of which the specification
// says nothing but that it has a state where it has one.
func (w *worker) knowledgeType(f *scan.Folder) {
	if w.enter(f) {
		defer w.open.Close()
		w.status()
	}
}

func (w *worker) enter(f *scan.Folder) bool {
	if f.Unreadable {
		return false // the scan reports it
	}
	d, err := w.nearby.Enter(f.Path)
	if err != nil {
		return false // the scan reports it, or it is gone
	}
	w.folder, w.open = f, d
	return true
}

// path is that of a file of the current folder.
func (w *worker) path(name string) string { return w.folder.Path + "/" + name }

// status checks _STATUS.md and returns the state, "" where there is none.
func (w *worker) status() lifecycle.State {
	data, ok := w.read(scan.Status, layout.StatusFile)
	if !ok {
		return ""
	}
	w.titleName(data, layout.StatusFile)
	s := lifecycle.Parse(data)
	w.found = append(w.found, s.Check(w.path(layout.StatusFile))...)
	return s.State()
}

// dependencies checks _DEPENDENCIES.md and Dependencies.csv.
func (w *worker) dependencies() {
	var r *register.Register
	if w.folder.Files.Has(scan.Register) {
		r = w.register(w.path(layout.RegisterFile))
	}
	if data, ok := w.read(scan.Dependencies, layout.DependenciesFile); ok {
		w.titleName(data, layout.DependenciesFile)
		w.found = append(w.found, register.ParseSummary(data).Check(w.path(layout.DependenciesFile), w.folder.ID, r)...)
	}
}

// register reads the register of the current folder and checks it; nil is one that
// cannot be read, which its own room words.
func (w *worker) register(at string) *register.Register {
	data, err := w.open.Read(layout.RegisterFile, w.buffer, register.MaxBytes+1)
	if err == nil && len(data) > register.MaxBytes {
		err = durable.ErrTooLarge
	}
	if err != nil {
		w.add(register.Unreadable(at, err))
		return nil
	}
	w.keep(data)
	r, p := register.Parse(data), w.project
	judge := registerlint.Judge{Path: at, Folder: w.folder.Base(), Project: p.known, Today: p.o.Today, Context: w.context}
	w.found = append(w.found, judge.Findings(r)...)
	return r
}

// context is the _CONTEXT.md of the current folder, nil where it cannot be read,
// which is a finding of its own.
func (w *worker) context() []byte {
	data, err := w.open.Read(layout.ContextFile, w.buffer, int(w.project.o.FileBytes)+1)
	if err != nil || len(data) > int(w.project.o.FileBytes) {
		return nil
	}
	if cap(data) <= keepBuffer {
		w.buffer = data
	}
	return data
}
