package validate

import (
	"context"
	"path"
	"sync"
	"sync/atomic"

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
	var jobs []func(*worker)
	for _, f := range p.Deliverables {
		if p.o.Only.Enters(f.Path) {
			jobs = append(jobs, func(w *worker) { w.deliverable(f) })
		}
	}
	for _, f := range p.KnowledgeTypes {
		if p.o.Only.Enters(f.Path) {
			jobs = append(jobs, func(w *worker) { w.knowledgeType(f) })
		}
	}
	pointers, snapshots := p.published()
	for _, rel := range pointers {
		if p.o.Only.Enters(rel) {
			jobs = append(jobs, func(w *worker) { w.pointer(rel) })
		}
	}
	for _, rel := range snapshots {
		if p.o.Only.Enters(rel) {
			jobs = append(jobs, func(w *worker) { w.found = append(w.found, snapshot.Verify(p.root, rel)...) })
		}
	}
	workers := make([]*worker, min(p.o.Workers, max(1, len(jobs))))
	var next atomic.Int64
	var all sync.WaitGroup
	for i := range workers {
		w := &worker{project: p}
		workers[i] = w
		all.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(jobs) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				before := len(w.found)
				jobs[n](w)
				w.tell(before)
			}
			w.leave()
		})
	}
	all.Wait()
	for _, w := range workers {
		p.found = append(p.found, w.found...)
		p.files += w.files
	}
	if more := p.told.Dropped(); more > 0 {
		p.add(ruleMore.At("", 0, "%d more findings are not listed", more))
	}
	return ctx.Err()
}

// tell takes the findings of one job, those from before on: it counts them where
// there is a digest, and else keeps as many as there is room for.
func (w *worker) tell(before int) {
	found := w.o.Only.Select(w.found[before:])
	if d := w.o.Digest; d != nil {
		for i := range found {
			found[i].Remedy = w.remedy(&found[i])
		}
		d.Add(found)
		w.found = w.found[:before]
		return
	}
	w.found = w.found[:before+len(w.told.Keep(found))]
}

// worker is one goroutine with memory that it uses again.
type worker struct {
	*project
	buffer []byte
	// left and right are texts that are compared.
	left, right []byte
	found       []finding.Finding
	files       int

	// Of the folder at hand.
	folder *scan.Folder
	open   dir.Dir

	// above is the folder that the one at hand is in, which the next ones share; nil
	// until there is one.
	above     dir.Dir
	abovePath string
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
		w.status()
		w.open.Close()
	}
}

func (w *worker) enter(f *scan.Folder) bool {
	if f.Unreadable {
		return false // the scan has told
	}
	above, base := path.Split(f.Path)
	if w.above == nil || above != w.abovePath {
		w.leave()
		d, err := w.places.folder(path.Clean(above))
		if err != nil {
			return false // the scan has told, or it is gone
		}
		w.above, w.abovePath = d, above
	}
	d, err := w.above.Enter(base)
	if err != nil {
		return false
	}
	w.folder, w.open = f, d
	return true
}

// leave closes what enter keeps open for the next folder.
func (w *worker) leave() {
	if w.above != nil {
		w.above.Close()
		w.above = nil
	}
}

// path is that of a file of the folder at hand.
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
		w.found = append(w.found, registerlint.CheckSummary(w.path(layout.DependenciesFile), w.folder.ID, data, r, w.o.Today)...)
	}
}

// register reads the register of the folder at hand and checks it; nil is one that
// can not be read, which its own room words.
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
	r := register.Parse(data)
	w.found = append(w.found, r.Lint(at, w.folder.Base())...)
	w.found = append(w.found, r.CheckProject(at, w.project, w.o.Today)...)
	w.found = append(w.found, r.CheckName(at, w.folder.Base(), w.context)...)
	return r
}
