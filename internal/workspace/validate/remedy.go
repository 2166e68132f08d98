package validate

import (
	"path"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// remedy is the command that removes a finding. It is exact: people read how
// many findings a command removes.
func (p *project) remedy(f *finding.Finding) finding.Remedy {
	pkg, deliverable := finding.Place(f.Path)
	var by *defined
	switch f.Code {
	case ruleMissing.Code, ruleNoMemory.Code, ruleNoSemantic.Code:
		if p.isWorkedOn(f.Path) {
			_, by = p.definition(deliverable, nil)
		}
	case ruleNoFolder.Code:
		by = p.decompositions[f.Path]
	case rulePackageFolders.Code, ruleNoWorking.Code:
		by = p.definingPackage(pkg)
	case ruleNoInit.Code, ruleNoCoordination.Code, ruleToolRoots.Code:
		if len(p.defining) > 0 {
			by = p.defining[0]
		}
	default:
		return f.Remedy
	}
	if by == nil {
		return finding.Remedy{}
	}
	return finding.Remedy{Command: "project init", Document: by.path}
}

// remedy is that of the project, but for a missing _STATUS.md: nobody knows its state,
// so none is made in a folder that is there.
func (w *worker) remedy(f *finding.Finding) finding.Remedy {
	if f.Code == ruleMissing.Code && !w.folder.Files.Has(scan.Status) {
		return finding.Remedy{}
	}
	return w.project.remedy(f)
}

// definingPackage is the first decomposition that defines a package.
func (p *project) definingPackage(id string) *defined {
	for _, d := range p.defining {
		if _, ok := d.doc.Package(id); ok {
			return d
		}
	}
	return nil
}

// isWorkedOn reports whether a folder is that of a deliverable in 1_Working.
func (p *project) isWorkedOn(folder string) bool {
	return path.Base(path.Dir(folder)) == layout.Working
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
