package scaffold

import (
	"path"
	"slices"

	"belay/internal/workspace/decomposition"
	"belay/internal/workspace/layout"
)

// planDeliverables plans the folder of each deliverable, or what is missing in the
// one that it has.
func (p *Plan) planDeliverables() error {
	for _, del := range p.filed() {
		key := layout.Number(del.ID)
		at := p.there.working[key]
		pkg := p.packageOf(del, at)
		want := path.Join(p.places[pkg.ID], layout.Working, layout.Folder(del.ID, del.Name))
		switch {
		case at == "" && p.there.copies[key] != "":
			p.places[del.ID] = p.there.copies[key]
			p.elsewhere(del)
			continue
		case at == "":
			at = want
		case path.Dir(at) != path.Dir(want):
			p.places[del.ID] = at
			p.elsewhere(del)
			continue
		case !p.doc.NamesFolder(path.Base(at), layout.ParseName(path.Base(at)).ID, del.Name):
			p.findings = append(p.findings,
				ruleNameChanged.At(at, 0, "by its name, the folder of %s would be %s", del.ID, path.Base(want)).Of(del.Name))
		}
		p.places[del.ID] = at
		if err := p.planFiles(at, del, pkg); err != nil {
			return err
		}
	}
	return nil
}

// packageOf is the package of a deliverable that has the folder at, "" for none. Where
// only its number speaks against the section that it is in, people may have put
// it into the package of either.
func (p *Plan) packageOf(del decomposition.Deliverable, at string) decomposition.Package {
	if section, ok := p.doc.Package(del.Section); ok && at != "" && path.Dir(at) == path.Join(p.places[section.ID], layout.Working) {
		return section
	}
	pkg, _ := p.doc.Package(del.Package)
	return pkg
}

func (p *Plan) elsewhere(del decomposition.Deliverable) {
	at := p.places[del.ID]
	p.findings = append(p.findings, ruleElsewhere.At(at, 0, "%s is here, and not in %s of %s", del.ID, layout.Working, del.Package))
}

// planFiles plans what a deliverable's folder lacks.
func (p *Plan) planFiles(at string, del decomposition.Deliverable, pkg decomposition.Package) error {
	var u unit
	names, err := p.names(at)
	switch {
	case err != nil:
		return p.fail(CreateDeliverable, at, err)
	case names == nil:
		u.steps = append(u.steps, step{stage: CreateDeliverable, path: at})
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	worked := !has(layout.StatusFile) && slices.ContainsFunc(names, foreign)
	if worked {
		p.findings = append(p.findings, ruleNoStatus.At(path.Join(at, layout.StatusFile), 0, "%s has no %s", del.ID, layout.StatusFile))
	}
	for _, name := range madeFiles {
		switch {
		case has(name), name == layout.StatusFile && worked:
		case name == layout.MemoryFile && has(layout.AgentMemoryFile):
		default:
			u.steps = append(u.steps, step{CreateDeliverable, path.Join(at, name), p.texts().file(name, del, pkg)})
		}
	}
	if len(u.steps) > 0 {
		p.units = append(p.units, u)
	}
	return nil
}

// names are those of the files in a folder, nil where there is no folder.
func (p *Plan) names(at string) ([]string, error) {
	if p.root == nil {
		return nil, nil
	}
	entries, err := list(p.root, at)
	if entries == nil || err != nil {
		return nil, err
	}
	p.leftovers(at, entries)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// foreign reports whether a file in a deliverable's folder is none that a run
// makes: then people or agents have worked there.
func foreign(name string) bool {
	return name != layout.MemoryFile && !slices.Contains(layout.Minimum, name) && !isTemp(name)
}
