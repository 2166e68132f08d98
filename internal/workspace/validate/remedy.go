package validate

import (
	"path"
	"path/filepath"
	"slices"
	"time"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scaffold"
	"belay/internal/workspace/scan"
)

// made is what project init would make of a decomposition. It is planned as the command
// plans it, since people read how many findings the command removes. The zero value is
// nothing.
type made struct {
	paths map[string]bool
	// deliverables are the numbers of those that would get a folder.
	deliverables map[string]bool
}

// made plans project init with a decomposition; nothing where the command would fail.
func (p *project) made(document string, doc *decomposition.Document) *made {
	// A folder whose files the scan has seen is not listed again.
	seen := make(map[string]scan.Files, len(p.Deliverables))
	for _, f := range p.Deliverables {
		if all := f.Files | f.Odd; all.Has(scan.Status) {
			seen[f.Path] = all
		}
	}
	plan, err := scaffold.Preview(scaffold.Request{
		ExecutionRoot: p.root, DecompositionPath: filepath.Join(p.root, filepath.FromSlash(document)),
	}, scaffold.Options{MaxBytes: scaffold.MaxDocumentBytes, Clock: time.Now, Document: doc, Names: func(folder string) []string { return seen[folder].Names() }, Read: func(string) ([]byte, error) {
		d, err := p.places.folder(layout.Decomposition)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return d.Read(path.Base(document), nil, scaffold.MaxDocumentBytes)
	}})
	if err != nil || plan.Blocked() {
		return &made{}
	}
	m := &made{map[string]bool{}, map[string]bool{}}
	for _, one := range plan.Makes() {
		m.paths[one.Path] = true
		if n := layout.ParseName(path.Base(one.Path)); one.Data == nil && n.Kind == layout.Deliverable {
			m.deliverables[layout.Number(n.ID)] = true
		}
	}
	return m
}

// remedy is project init with the document, none where that does not make what is missing.
// One of the paths stands for all: the command makes all of them that are missing.
func (d *defined) remedy(paths ...string) finding.Remedy {
	if d == nil || !slices.ContainsFunc(paths, func(at string) bool { return d.makes().paths[at] }) {
		return finding.Remedy{}
	}
	return d.initialize()
}

func (d *defined) initialize() finding.Remedy {
	return finding.Remedy{Command: "project init", Document: d.path}
}

// remedy is the command that removes a finding.
func (p *project) remedy(f *finding.Finding) finding.Remedy {
	var first *defined
	if len(p.defining) > 0 {
		first = p.defining[0]
	}
	switch f.Code {
	case ruleNoFolder.Code:
		if by := p.decompositions[f.Path]; by.makes().deliverables[layout.Number(f.Value)] {
			return by.initialize()
		}
		return finding.Remedy{}
	case rulePackageFolders.Code:
		var folders []string
		for _, name := range layout.PackageFolders {
			folders = append(folders, path.Join(f.Path, name))
		}
		return p.definingPackage(layout.ParseName(path.Base(f.Path)).ID).remedy(folders...)
	case ruleNoWorking.Code:
		return p.definingPackage(layout.ParseName(path.Base(f.Path)).ID).remedy(path.Join(f.Path, layout.Working))
	case ruleNoInit.Code:
		return first.remedy(layout.InitFile)
	case ruleNoCoordination.Code:
		return first.remedy(layout.CoordinationFile)
	case ruleToolRoots.Code:
		return first.remedy(layout.ToolRoots...)
	}
	return f.Remedy
}

// remedy is that of the project, and for what the current folder lacks. A missing
// _STATUS.md is made in a new folder alone: of another one nobody knows the state.
func (w *worker) remedy(f *finding.Finding) finding.Remedy {
	var lacks string
	switch f.Code {
	case ruleMissing.Code:
		lacks = (mustHave &^ w.folder.Files &^ w.folder.Odd).Names()[0]
	case ruleNoSemantic.Code:
		lacks = layout.SemanticFile
	case ruleNoMemory.Code:
		lacks = layout.MemoryFile
	default: // it may be about a pointer or a snapshot, and then there is no current folder
		return w.project.remedy(f)
	}
	_, by := w.project.definition(w.folder.ID, nil)
	return by.remedy(w.path(lacks))
}

// isMade reports whether the current folder is one of those in which project init makes
// what is missing: a deliverable's of the decomposition, where that has it.
func (w *worker) isMade() bool {
	def, by := w.project.definition(w.folder.ID, nil)
	worked := path.Base(path.Dir(w.folder.Path)) == layout.Working
	return by != nil && worked && def.Package != "" && w.filedIn(w.folder.PackageID())
}

// addMissing adds a finding about a file that project init makes in most folders.
func (w *worker) addMissing(f finding.Finding) {
	if !w.isMade() {
		f = f.WithFix("write what is missing, or define the deliverable in the decomposition and keep its folder in %s of its package: then belay project init makes it", layout.Working)
	}
	w.add(f)
}

// definingPackage is the first decomposition that defines a package, nil for none.
func (p *project) definingPackage(id string) *defined {
	for _, d := range p.defining {
		if _, ok := d.doc.Package(id); ok {
			return d
		}
	}
	return nil
}

// hasDeliverable and hasPackage report whether the project has what a filter names,
// as a folder or in a decomposition.
func (p *project) hasDeliverable(number string) bool {
	if def, _ := p.definition(number, nil); def.ID != "" {
		return true
	}
	return p.HasDeliverable(number)
}

func (p *project) hasPackage(number string) bool {
	return p.definingPackage(number) != nil || p.HasPackage(number)
}

// mustHave are the files that each deliverable has.
const mustHave = scan.Status | scan.Context | scan.Dependencies | scan.References
