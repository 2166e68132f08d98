package validate

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// checkRoot looks at what is there once in a project (workspace 12.1).
func (p *project) checkRoot() {
	if len(p.Packages) == 0 {
		p.add(ruleNoPackages.At("", 0, "the folder has no package"))
	}
	p.checkDecompositions()
	p.checkInit()
	p.checkCoordination()
	p.checkToolRoots()
	for _, pkg := range p.Packages {
		p.checkPackage(pkg)
	}
	p.checkMissing()
}

// checkToolRoots looks for the tool roots (workspace 1.2). Those that must hold a file
// have findings of their own.
func (p *project) checkToolRoots() {
	var missing []string
	for _, name := range layout.ToolRoots {
		own := name == layout.Decomposition || name == path.Dir(layout.CoordinationFile)
		if kind, _, _ := p.top.Stat(name); !strings.Contains(name, "/") && !own && kind != dir.Folder {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && len(p.Packages) > 0 {
		p.add(p.first().makes(ruleToolRoots.At("", 0, "there is no folder %s", strings.Join(missing, ", "))))
	}
}

// rootAbove is the folder that holds the package that a path is, or is in: somebody
// looks at a part of a project and means the whole.
func rootAbove(at string) (root string, ok bool) {
	for above := filepath.Dir(at); above != at; at, above = above, filepath.Dir(above) {
		if layout.ParseName(filepath.Base(at)).Kind == layout.Package {
			root, ok = above, true
		}
	}
	return root, ok
}

// homes are the folders that have packages other than the root.
func (p *project) homes() []string {
	var all []string
	for _, pkg := range p.Packages {
		if i := strings.LastIndexByte(pkg.Path, '/'); i >= 0 && !slices.Contains(all, pkg.Path[:i]) {
			all = append(all, pkg.Path[:i])
		}
	}
	return all
}

// checkPackage looks for the folders of a package (workspace 1.1 and 12.2).
func (p *project) checkPackage(pkg *scan.Package) {
	d, err := p.places.folder(pkg.Path)
	if err != nil {
		return // the scan reports it
	}
	defer d.Close()
	var missing []string
	for _, name := range layout.PackageFolders {
		switch kind, _, _ := statBelow(d, name); {
		case kind == dir.Folder:
		case name == layout.Working && kind == dir.Link:
			p.add(ruleNoWorking.At(pkg.Path, 0, "%s is a link, and no folder", name).WithFix("put the folder itself in the link's place"))
		case name == layout.Working:
			p.add(p.definingPackage(pkg.ID).makes(ruleNoWorking.At(pkg.Path, 0, "there is no folder %s", name)))
		default:
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		p.add(p.definingPackage(pkg.ID).makes(rulePackageFolders.At(pkg.Path, 0, "there is no folder %s", strings.Join(missing, ", "))))
	}
	if def, ok := p.definedPackage(pkg.ID); !ok && len(p.defining) > 0 {
		p.add(ruleUndefinedPackage.At(pkg.Path, 0, "no decomposition defines %s", pkg.ID).Of(pkg.ID))
	} else if f, differs := p.folderName(pkg.Path, pkg.ID, def.Name); ok && differs {
		p.add(f)
	}
}

// folderName compares the name of a package's or deliverable's folder with the name that
// the decomposition gives it, or those that any decomposition does.
func (p *project) folderName(at, id, name string) (finding.Finding, bool) {
	want, base := layout.Folder(id, name), path.Base(at)
	if slices.ContainsFunc(p.defining, func(d *defined) bool { return d.doc.NamesFolder(base, id, name) }) {
		return finding.Finding{}, false
	}
	return ruleFolderName.At(at, 0, "the decomposition calls %s %q", id, shown(name)).
		WithFix("rename the folder to %s once nothing refers to its old name, or write %s in the decomposition", shown(want), shown(base)), true
}

// checkMissing reports deliverables that are defined and have no folder. Those that are behind
// a link, or in a folder that may not be read, may have one; project init could not make it.
func (p *project) checkMissing() {
	have := map[string]bool{}
	for _, f := range p.Deliverables {
		have[layout.Number(f.ID)] = true
	}
	for _, f := range append(p.Unread(), p.Linked()...) { // also packages, with all that they have
		if n := layout.ParseName(path.Base(strings.TrimSuffix(f.Path, "/"+layout.Working))); n.ID != "" {
			have[layout.Number(n.ID)] = true
		}
	}
	for _, d := range p.defining {
		listed := 0
		for _, def := range d.doc.Deliverables {
			n := layout.Number(def.ID)
			if have[n] || have[layout.Number(def.Package)] {
				continue
			}
			have[n] = true
			switch listed++; {
			case listed <= maxListed:
				f := ruleNoFolder.At(d.path, def.Line, "%s has no folder", def.ID).Of(def.ID).About(def.Package)
				if def.Package == "" {
					p.add(f.WithFix("name its package in the decomposition, then make it with belay project init"))
				} else {
					p.add(d.makes(f))
				}
			case listed == maxListed+1:
				p.add(ruleMore.At(d.path, 0, "more than %d deliverables have no folder", maxListed))
			}
		}
	}
}
