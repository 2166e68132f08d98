package validate

import (
	"strings"

	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// presence reports the files that are missing, and those that should be.
func (w *worker) presence() {
	f := w.folder
	for _, name := range f.Odd.Names() {
		w.add(ruleNoFile.At(w.path(name), 0, "is no regular file"))
	}
	if missing := mustHave &^ f.Files &^ f.Odd; missing != 0 {
		found := ruleMissing.At(f.Path, 0, "there is no %s", strings.Join(missing.Names(), ", "))
		switch {
		case missing == scan.Status: // project init makes it in a new folder alone
			w.add(found.WithFix("write it yourself, as only people know the state"))
		case missing.Has(scan.Status):
			w.addMissing(found.WithFix("write %s yourself, as only people know the state; belay project init makes the other files", layout.StatusFile))
		default:
			w.addMissing(found)
		}
	}
	switch at := w.path(layout.AgentMemoryFile); {
	case f.Files.Has(scan.AgentMemory | scan.Memory):
		w.add(ruleAgentMemory.At(at, 0, "%s exists", layout.AgentMemoryFile))
	case f.Files.Has(scan.AgentMemory):
		w.add(ruleAgentMemory.At(at, 0, "%s exists, and no %s", layout.AgentMemoryFile, layout.MemoryFile).WithFix("rename it to %s", layout.MemoryFile))
	case !f.Files.Has(scan.Memory):
		w.addMissing(ruleNoMemory.At(f.Path, 0, "there is no %s", layout.MemoryFile))
	}
}

// identity holds the folder's name and place against the decomposition (workspace 1.1
// and 10.2).
func (w *worker) identity() {
	f := w.folder
	def, from := w.project.definition(f.ID, nil)
	if from == nil {
		if len(w.project.defining) > 0 {
			w.add(ruleUndefined.At(f.Path, 0, "no decomposition defines %s", f.ID).Of(f.ID))
		}
		return
	}
	if f, differs := w.project.folderName(f.Path, f.ID, def.Name); differs {
		w.add(f)
	}
	if pkg := f.PackageID(); def.Package != "" && pkg != "" && !w.filedIn(pkg) {
		w.add(rulePackage.At(f.Path, 0, "the decomposition gives %s to %s, the folder is in %s", def.ID, def.Package, pkg).Of(f.ID))
	}
}

// filedIn reports whether a decomposition gives the current deliverable to a package.
// Where nothing but its number speaks against the section that it is in, either
// counts.
func (w *worker) filedIn(pkg string) bool {
	number := layout.Number(pkg)
	for _, d := range w.project.defining {
		if def, ok := d.doc.Deliverable(w.folder.ID); ok && (layout.Number(def.Package) == number || layout.Number(def.Section) == number) {
			return true
		}
	}
	return false
}
