package validate

import (
	"path"

	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// makes gives a finding project init with a decomposition as its remedy; nil is none. The
// command makes all that a decomposition defines and that is missing.
func (d *defined) makes(f finding.Finding) finding.Finding {
	if d != nil {
		f.Remedy = finding.Remedy{Command: "project init", Document: d.path}
	}
	return f
}

// first is the decomposition of which project init makes what a project has once, nil for none.
func (p *project) first() *defined {
	if len(p.defining) == 0 {
		return nil
	}
	return p.defining[0]
}

// addMissing adds a finding about a file that project init makes, in a deliverable's folder of
// the decomposition where that has it.
func (w *worker) addMissing(f finding.Finding) {
	def, by := w.project.definition(w.folder.ID, nil)
	worked := path.Base(path.Dir(w.folder.Path)) == layout.Working
	if by == nil || !worked || def.Package == "" || !w.filedIn(w.folder.PackageID()) {
		w.add(f.WithFix("write what is missing, or define the deliverable in the decomposition and keep its folder in %s of its package: then belay project init makes it", layout.Working))
		return
	}
	w.add(by.makes(f))
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

// deliverableID and packageID are the ids of what a decomposition defines, by its number; ""
// for what none does.
func (p *project) deliverableID(number string) string {
	def, _ := p.definition(number, nil)
	return def.ID
}

func (p *project) packageID(number string) string {
	def, _ := p.definedPackage(number)
	return def.ID
}

// mustHave are the files that each deliverable has.
const mustHave = scan.Status | scan.Context | scan.Dependencies | scan.References
