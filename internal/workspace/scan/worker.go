package scan

import (
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// worker is one goroutine of a walk, with memory that it uses again.
type worker struct {
	w       *walk
	scratch []byte
	text    []byte
	found   records

	// Of the current folder.
	here      *shared
	path      string
	depth     int
	inside    where
	sealed    bool // it cannot be listed
	tasks     []task
	files     Files
	odd       Files
	documents []string
	see       func(name []byte, what dir.Kind)
}

func newWorker(w *walk) *worker {
	k := &worker{w: w, scratch: make([]byte, 32<<10)}
	k.see = k.entry // a bound method is made once, not for each folder
	return k
}

func (k *worker) work() {
	for {
		t, ok := k.w.take()
		if !ok {
			return
		}
		d, err := t.parent.Enter(t.path[t.base:])
		switch {
		case err == nil:
			k.visit(share(d), t)
		case !dir.Gone(err):
			k.refused(t, err)
		}
		t.parent.release()
		k.w.finish()
	}
}

// visit lists a folder and notes what it is. It closes the folder once nothing
// in it is left to do.
func (k *worker) visit(d *shared, t task) {
	defer d.release()
	k.begin(d, t)
	if t.path != "." {
		k.inside = t.at.into(t.path, t.path[t.base:])
	}
	if err := d.Each(k.scratch, k.see); err != nil {
		k.sealed = true
		k.unreadable(t.path, err)
	}
	k.note(t, t.path[t.base:])
	if k.w.o.Visited {
		k.found.visited = append(k.found.visited, t.path)
	}
	if len(k.tasks) > 0 && t.depth >= k.w.o.MaxDepth {
		k.found.cut = true
		k.report(ruleTooDeep.At(t.path, 0, "its folders are deeper than %d levels, and were not entered", k.w.o.MaxDepth))
		return
	}
	if dropped := k.w.push(d, k.tasks); dropped > 0 {
		k.found.cut = true
		k.report(ruleTooMany.At(t.path, 0, "the project has more than %d folders; %d of this one's were not entered", k.w.o.MaxFolders, dropped))
	}
}

func (k *worker) begin(d *shared, t task) {
	k.here, k.path, k.depth, k.inside, k.sealed = d, t.path, t.depth, where{}, false
	k.tasks, k.files, k.odd, k.documents = k.tasks[:0], 0, 0, k.documents[:0]
}

// refused notes a folder that cannot be opened for what its name makes it.
func (k *worker) refused(t task, err error) {
	k.begin(nil, t)
	k.sealed = true
	k.unreadable(t.path, err)
	k.note(t, t.path[t.base:])
}

// entry takes one entry of the current folder.
func (k *worker) entry(name []byte, what dir.Kind) {
	switch {
	case isUnfinished(name):
		k.report(ruleUnfinished.At(k.child(name), 0, "has the name of something unfinished"))
	case what == dir.Folder:
		if LeavesOut(string(name)) {
			return
		}
		if bit := fileBit(name); bit != 0 {
			k.odd |= bit
		}
		path, base := string(name), 0
		if k.path != "." {
			base = len(k.path) + 1
			path = k.path + "/" + path
		}
		if k.w.o.NamesOnly && k.named(path, path[base:]) {
			return
		}
		k.tasks = append(k.tasks, task{parent: k.here, path: path, base: base, depth: k.depth + 1, at: k.inside})
	case what == dir.File:
		k.files |= fileBit(name)
		if k.inside.decomposition && strings.HasSuffix(string(name), ".md") {
			k.documents = append(k.documents, string(name))
		}
	default:
		k.odd |= fileBit(name)
		if what == dir.Link && (layout.ParseName(string(name)).Kind != layout.Other || k.inside.pkg == k.path && string(name) == layout.Working) {
			k.report(ruleLink.At(k.child(name), 0, "is a link, which is not followed"))
		}
	}
}

// named records a deliverable that is worked on by its name alone.
func (k *worker) named(path, base string) bool {
	n := layout.ParseName(base)
	if n.Kind != layout.Deliverable || k.inside.area != Working {
		return false
	}
	k.found.folders = append(k.found.folders, &Folder{
		Kind: n.Kind, ID: n.ID, Name: spaced(n), Package: k.inside.pkg[strings.LastIndexByte(k.inside.pkg, '/')+1:], Path: path, Place: Working, Status: Unknown, packagePath: k.inside.pkg,
	})
	return true
}

// isUnfinished reports a name that belay gives to what it has not finished.
func isUnfinished(name []byte) bool {
	return len(name) > len(durable.TempPrefix) && string(name[:len(durable.TempPrefix)]) == durable.TempPrefix
}

func (k *worker) child(name []byte) string {
	if k.path == "." {
		return string(name)
	}
	return k.path + "/" + string(name)
}

// note records the current folder for what it is.
func (k *worker) note(t task, base string) {
	n := layout.ParseName(base)
	switch {
	case t.path == ".":
	case n.Kind == layout.Deliverable, n.Kind == layout.KnowledgeType:
		k.found.folders = append(k.found.folders, k.folder(t, base, n))
	case t.at.isPackage(n):
		k.found.packages = append(k.found.packages, &Package{ID: n.ID, Name: spaced(n), Path: t.path, Folder: base})
	case t.depth == 1 && base[0] == '_':
		k.found.toolRoots = append(k.found.toolRoots, &ToolRoot{Name: base, Known: isToolRoot(base)})
	}
	if len(k.documents) > 0 {
		k.mark()
	}
	k.checkName(t, base, n)
}

// folder reads what the scan wants to know of a deliverable's or knowledge type's
// folder.
func (k *worker) folder(t task, base string, n layout.Name) *Folder {
	f := &Folder{
		Kind: n.Kind, ID: n.ID, Name: spaced(n), Package: UnknownPackage, Path: t.path, Place: t.at.place(),
		Status: Unknown, Files: k.files, Odd: k.odd, Unreadable: k.sealed, packagePath: t.at.pkg,
	}
	if t.at.pkg != "" {
		f.Package = t.at.pkg[strings.LastIndexByte(t.at.pkg, '/')+1:]
	}
	if f.Files.Has(Status) {
		text, err := k.here.Read(layout.StatusFile, k.text, maxStatus)
		if err == nil {
			k.text = text
			f.Status, f.Recorded = stateIn(text)
		} else if !dir.Gone(err) {
			k.unreadable(t.path+"/"+layout.StatusFile, err)
		}
	}
	if k.w.o.Stamps {
		f.Stamp = stamp(k.here, f.Files)
	}
	return f
}

// spaced is the name of a package or deliverable as its folder gives it.
func spaced(n layout.Name) string {
	if name := strings.TrimSpace(strings.ReplaceAll(n.Label, "_", " ")); name != "" {
		return name
	}
	return n.ID
}

func isToolRoot(name string) bool {
	return slices.Contains(layout.ToolRoots, name)
}

func (k *worker) report(f finding.Finding) { k.found.findings.add(f) }

func (k *worker) unreadable(path string, err error) {
	k.report(ruleUnreadable.At(path, 0, "cannot be read: %s", dir.Reason(err)))
}
