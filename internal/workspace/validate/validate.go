// Package validate holds a whole project against the specification: the root, its
// packages, its deliverables and every file that these have.
//
// [Project] looks at what a scan found, reads the files with several goroutines and
// answers with a [Report], the same for every surface. Each finding has a stable
// code, a severity, the file and line, and the next step. What lifecycle, register,
// decomposition and snapshot know of their files they say here too; this package
// adds the files that belong to nobody else, and what files say about each other.
//
// Files are read as far as [Options] let them be, never through a link; what can
// not be read is a finding. Nothing is written.
//
// Contract: workspace spec, section 12, and sections 1, 2, 4, 7, 8, 11 and 13.
package validate

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/scan"
)

// Options bound a validation. The zero value works.
type Options struct {
	// FileBytes is how much of a file is read; a larger one is a finding. Default
	// 16 MiB.
	FileBytes int64
	// Today is the day after which no date may lie, YYYY-MM-DD; "" knows of none.
	Today string
	// Workers is how many goroutines read; default twice the processors, 2 to 16.
	Workers int
}

func (o Options) orDefault() Options {
	if o.FileBytes <= 0 {
		o.FileBytes = 16 << 20
	}
	if o.Workers <= 0 {
		o.Workers = min(max(2, 2*runtime.GOMAXPROCS(0)), 16)
	}
	return o
}

// Report is what was found in a project.
type Report struct {
	ProjectRoot string `json:"projectRoot"`
	// Valid is set where there is no error; warnings are differences that readers
	// cope with.
	Valid    bool              `json:"valid"`
	Summary  Summary           `json:"summary"`
	Findings []finding.Finding `json:"findings"`
}

// Summary counts.
type Summary struct {
	Packages     int `json:"packages"`
	Deliverables int `json:"deliverables"`
	// Files is how many were read.
	Files    int `json:"files"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	// Codes counts the findings of each code, errors first, the most frequent ones
	// before others.
	Codes []finding.Tally `json:"codes"`
	// Truncated is set where the project is larger than what is looked at.
	Truncated bool `json:"truncated"`
}

// Project validates a root, an absolute path, of which a scan has found r with
// [scan.Options.Visited]. The one error is ctx's, or of a root that can not be
// opened.
func Project(ctx context.Context, root string, r *scan.Result, o Options) (*Report, error) {
	top, err := dir.Open(root)
	if err != nil {
		return nil, fmt.Errorf("validate %s: %w", root, err)
	}
	defer top.Close()
	p := &project{Result: r, root: root, top: top, o: o.orDefault(), places: newPlaces(top), states: map[string]string{}}
	for _, f := range r.Deliverables {
		p.states[f.ID] = strings.ToUpper(f.Status)
	}
	p.found = append(p.found, r.Findings...)
	if homes := p.homes(); len(homes) > 0 {
		// Paths in files mean another folder: nothing else can be judged.
		p.add(ruleElsewhere.At("", 0, "the packages lie in %s", shown(strings.Join(homes, ", "))).
			WithFix("look at that folder: belay project validate %s", shown(homes[0])))
		return p.report(), nil
	}
	if above, ok := rootAbove(root); ok && len(r.Packages) == 0 {
		p.add(ruleNoPackages.At("", 0, "the folder is a part of an execution root").
			WithFix("look at the whole: belay project validate %s", shown(above)))
		return p.report(), nil
	}
	p.readDecompositions()
	p.checkRoot()
	if err := p.checkAll(ctx); err != nil {
		return nil, err
	}
	return p.report(), nil
}

// project is one validation.
type project struct {
	*scan.Result
	root   string
	top    dir.Dir
	o      Options
	places *places
	// decompositions are by their paths; defining are those that define anything.
	decompositions map[string]*defined
	defining       []*defined
	// newest is the newest snapshot of each folder, states those of deliverables.
	newest, states map[string]string

	found []finding.Finding
	told  finding.Quota
	files int
}

// Has implements [register.Project].
func (p *project) Has(id string) bool { _, ok := p.states[id]; return ok }

// State implements [register.Project].
func (p *project) State(id string) string { return p.states[id] }

func (p *project) add(f finding.Finding) { p.found = append(p.found, f) }

func (p *project) report() *Report {
	finding.Sort(p.found)
	r := &Report{ProjectRoot: p.root, Findings: p.found, Summary: Summary{
		Packages: len(p.Packages), Deliverables: len(p.Deliverables), Files: p.files, Truncated: p.Truncated, Codes: finding.Tallies(p.found),
	}}
	if r.Findings == nil {
		r.Findings = []finding.Finding{}
	}
	r.Summary.Errors, r.Summary.Warnings = finding.Count(p.found)
	r.Valid = r.Summary.Errors == 0
	return r
}

// checkRoot looks at what is there once in a project (workspace 12.1).
func (p *project) checkRoot() {
	if len(p.Packages) == 0 {
		p.add(ruleNoPackages.At("", 0, "the folder has no package"))
	}
	p.checkDecompositions()
	p.checkInit()
	p.checkCoordination()
	for _, pkg := range p.Packages {
		p.checkPackage(pkg)
	}
	p.checkMissing()
}

// rootAbove is the folder that holds the package that a path is, or lies in: somebody
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
		return // the scan has told
	}
	defer d.Close()
	var missing []string
	for _, name := range layout.PackageFolders {
		if kind, _, _ := statBelow(d, name); kind != dir.Folder {
			if name == layout.Working {
				p.add(ruleNoWorking.At(pkg.Path, 0, "there is no folder %s", name))
			} else {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 {
		p.add(rulePackageFolders.At(pkg.Path, 0, "there is no folder %s", strings.Join(missing, ", ")))
	}
	if def, ok := p.definedPackage(pkg.ID); !ok && len(p.defining) > 0 {
		p.add(ruleUndefinedPackage.At(pkg.Path, 0, "no decomposition defines %s", pkg.ID).Of(pkg.ID))
	} else if want := layout.Folder(pkg.ID, def.Name); ok && want != "" && want != pkg.Folder {
		p.add(ruleFolderName.At(pkg.Path, 0, "the decomposition calls %s %q", pkg.ID, shown(def.Name)).
			WithFix("rename the folder to %s", shown(want)))
	}
}

// checkMissing reports deliverables that are defined and have no folder.
func (p *project) checkMissing() {
	have := map[string]bool{}
	for _, f := range p.Deliverables {
		have[layout.Number(f.ID)] = true
	}
	for _, d := range p.defining {
		told := 0
		for _, def := range d.doc.Deliverables {
			n := layout.Number(def.ID)
			if have[n] {
				continue
			}
			have[n] = true
			switch told++; {
			case told <= maxTold:
				p.add(ruleNoFolder.At(d.path, def.Line, "%s has no folder", def.ID).Of(def.ID))
			case told == maxTold+1:
				p.add(ruleMore.At(d.path, 0, "more than %d deliverables have no folder", maxTold))
			}
		}
	}
}
