package validate

import (
	"context"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"belay/internal/durable"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/snapshot"
)

// checkAll looks at every deliverable, knowledge type and tool root, several at a
// time.
func (p *project) checkAll(ctx context.Context) error {
	var jobs []func(*worker)
	for _, f := range p.Deliverables {
		jobs = append(jobs, func(w *worker) { w.deliverable(f) })
	}
	for _, f := range p.KnowledgeTypes {
		jobs = append(jobs, func(w *worker) { w.knowledgeType(f) })
	}
	pointers, snapshots := p.published()
	for _, rel := range pointers {
		jobs = append(jobs, func(w *worker) { w.pointer(rel) })
	}
	for _, rel := range snapshots {
		jobs = append(jobs, func(w *worker) { w.found = append(w.found, snapshot.Verify(p.root, rel)...) })
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
				w.found = w.found[:before+len(p.told.Keep(w.found[before:]))]
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
		p.add(ruleMore.At("", 0, "%d more findings are not told", more))
	}
	return ctx.Err()
}

// worker is one goroutine with memory that it uses again.
type worker struct {
	*project
	buffer []byte
	found  []finding.Finding
	files  int

	// Of the folder at hand.
	folder *scan.Folder
	open   dir.Dir

	// above is the folder that the one at hand lies in, which the next ones share; nil
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
	state := w.status()
	w.kit(state)
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

// presence tells of the files that are missing, and those that should be.
func (w *worker) presence() {
	f := w.folder
	for _, name := range f.Odd.Names() {
		w.add(ruleNoFile.At(w.path(name), 0, "is no regular file"))
	}
	const must = scan.Status | scan.Context | scan.Dependencies | scan.References
	if missing := must &^ f.Files &^ f.Odd; missing != 0 {
		w.add(ruleMissing.At(f.Path, 0, "there is no %s", strings.Join(missing.Names(), ", ")))
	}
	switch at := w.path(layout.AgentMemoryFile); {
	case f.Files.Has(scan.AgentMemory | scan.Memory):
		w.add(ruleAgentMemory.At(at, 0, "%s exists", layout.AgentMemoryFile))
	case f.Files.Has(scan.AgentMemory):
		w.add(ruleAgentMemory.At(at, 0, "%s exists, and no %s", layout.AgentMemoryFile, layout.MemoryFile).WithFix("rename it to %s", layout.MemoryFile))
	case !f.Files.Has(scan.Memory):
		w.add(ruleNoMemory.At(f.Path, 0, "there is no %s", layout.MemoryFile))
	}
	if def, from := w.definition(f.ID, nil); from != nil {
		if want := layout.Folder(def.ID, def.Name); want != "" && want != f.Base() {
			w.add(ruleFolderName.At(f.Path, 0, "the decomposition calls %s %q", def.ID, shown(def.Name)).WithFix("rename the folder to %s", shown(want)))
		}
	} else if len(w.defining) > 0 {
		w.add(ruleUndefined.At(f.Path, 0, "no decomposition defines %s", f.ID).Of(f.ID))
	}
}

// status checks _STATUS.md and returns the state, "" where there is none.
func (w *worker) status() lifecycle.State {
	data, ok := w.read(scan.Status, layout.StatusFile)
	if !ok {
		return ""
	}
	s := lifecycle.Parse(data)
	w.found = append(w.found, s.Check(w.path(layout.StatusFile))...)
	return s.State()
}

// kit checks what a deliverable in a state must have beside its four files.
func (w *worker) kit(state lifecycle.State) {
	have := w.folder.Files | w.folder.Odd
	if missing := scan.DocumentKit &^ have; missing != 0 && state.Reached(lifecycle.Initialized) {
		w.add(ruleKit.At(w.folder.Path, 0, "the state is %s, and there is no %s", state, strings.Join(missing.Names(), ", ")))
	}
	if state == lifecycle.SemanticReady && !have.Has(scan.Semantic) {
		w.add(ruleSemantic.At(w.folder.Path, 0, "the state is %s, and there is no %s", state, layout.SemanticFile))
	}
}

// dependencies checks _DEPENDENCIES.md and Dependencies.csv.
func (w *worker) dependencies() {
	var r *register.Register
	if w.folder.Files.Has(scan.Register) {
		r = w.register(w.path(layout.RegisterFile))
	}
	if data, ok := w.read(scan.Dependencies, layout.DependenciesFile); ok {
		w.found = append(w.found, register.ParseSummary(data).Check(w.path(layout.DependenciesFile), w.folder.ID, r)...)
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
	return r
}

// read reads a file of the folder at hand; the bytes are valid until the next call.
// It is false where the folder does not have it, and where it can not be read,
// which is a finding.
func (w *worker) read(file scan.Files, name string) ([]byte, bool) {
	if !w.folder.Files.Has(file) {
		return nil, false
	}
	return w.readIn(w.open, name, w.path(name))
}

// readIn reads a file of an open folder; at is what findings call it.
func (w *worker) readIn(d dir.Dir, name, at string) ([]byte, bool) {
	most := int(w.o.FileBytes)
	data, err := d.Read(name, w.buffer, most+1)
	switch {
	case dir.Gone(err):
		return nil, false
	case err != nil:
		w.add(ruleFileUnreadable.At(at, 0, "can not be read: %s", dir.Reason(err)))
		return nil, false
	}
	w.keep(data)
	if len(data) > most {
		w.add(ruleTooLarge.At(at, 0, "has more than %d bytes (workspace.file_bytes)", most))
		return nil, false
	}
	return data, true
}

// keep counts a file that was read into data, and keeps the memory.
func (w *worker) keep(data []byte) {
	w.files++
	if cap(data) <= keepBuffer {
		w.buffer = data
	}
}

// keepBuffer is how much memory a goroutine keeps between files.
const keepBuffer = 4 << 20

// document reads a Markdown file of the folder at hand.
func (w *worker) document(file scan.Files, name string) (*text, bool) {
	data, ok := w.read(file, name)
	if !ok {
		return nil, false
	}
	return w.text(data, w.path(name), w.folder.ID)
}

func (w *worker) text(data []byte, at, id string) (*text, bool) {
	t := &text{Document: document.Parse(data), w: w, path: at, id: id}
	if !t.Valid() {
		t.add(ruleNotText.At(at, 0, "the file is not UTF-8 text, or has NUL bytes"))
		return nil, false
	}
	return t, true
}
