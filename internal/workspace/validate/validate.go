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
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/register"
	"belay/internal/workspace/resolve"
	"belay/internal/workspace/scan"
)

// Options bound a validation. The zero value works.
type Options struct {
	// FileBytes is how much of a file is read; a larger one is a finding. Default
	// 16 MiB.
	FileBytes int64
	// Today is the day in UTC, YYYY-MM-DD, by which registers are judged; "" judges no date.
	Today string
	// Workers is how many goroutines read; default twice the processors, 2 to 16.
	Workers int
	// Only selects what the report is about; nil selects all.
	Only *finding.Filter
	// Digest, where set, counts the findings, and the report lists none. Each, where set, is
	// called with all findings, those of the project and those of one folder after the other,
	// and the report lists none either.
	Digest *finding.Digest
	Each   func([]finding.Finding)
}

func (o Options) orDefault() Options {
	o.FileBytes = cmp.Or(o.FileBytes, 16<<20)
	o.Workers = cmp.Or(o.Workers, min(max(2, 2*runtime.GOMAXPROCS(0)), 16))
	return o
}

// Report is what was found in a project.
type Report struct {
	ProjectRoot string `json:"projectRoot"`
	// Only is what the report is about, where that is not all: everything else in it
	// says nothing of the rest.
	Only *finding.Filter `json:"only,omitempty"`
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
// [scan.Options.Visited]. The error is ctx's, that of a root that cannot be opened,
// or of a deliverable or package in [Options.Only] that the project does not have.
func Project(ctx context.Context, root string, r *scan.Result, o Options) (*Report, error) {
	top, err := dir.Open(root)
	if err != nil {
		return nil, fmt.Errorf("validate %s: %w", root, err)
	}
	defer top.Close()
	p := &project{Result: r, root: root, top: top, o: o.orDefault(), places: newPlaces(top), known: r.ByID()}
	if p.counted = o.Digest; p.counted == nil {
		p.counted = finding.NewDigest(1)
	}
	p.listed = []finding.Finding{}
	p.found = append(p.found, r.Findings...)
	if homes := p.homes(); len(homes) > 0 {
		// Paths in files mean another folder: nothing else can be judged.
		p.add(ruleElsewhere.At("", 0, "the packages are in %s", shown(strings.Join(homes, ", "))).
			WithFix("look at that folder: belay project validate --project %s", shown(homes[0])))
		p.o.Only = nil
		p.pass(p.found)
		return p.report(), nil
	}
	if above, ok := rootAbove(root); ok && len(r.Packages) == 0 {
		p.add(ruleNoPackages.At("", 0, "the folder is a part of an execution root").
			WithFix("look at the whole: belay project validate --project %s", shown(above)))
		p.o.Only = nil
		p.pass(p.found)
		return p.report(), nil
	}
	if err := p.readDecompositions(ctx); err != nil {
		return nil, err
	}
	if p.o.Only, err = resolve.In(root, r, nil).Filter(p.o.Only, p.deliverableID, p.packageID); err != nil {
		return nil, err
	}
	p.checkRoot()
	p.pass(p.o.Only.Select(p.found))
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
	// newest is the newest snapshot of each folder.
	newest map[string]string
	// known are the deliverables that registers may refer to.
	known scan.ByID

	// found is what was found of the project as a whole; listed is what the report
	// lists, and counted counts all.
	found, listed []finding.Finding
	counted       *finding.Digest
	quota         finding.Quota
	files         int
}

func (p *project) add(f finding.Finding) { p.found = append(p.found, f) }

// pass counts findings, and lists them as far as there is room for more.
func (p *project) pass(found []finding.Finding) {
	p.counted.Add(found)
	switch {
	case p.o.Each != nil:
		p.o.Each(found)
	case p.o.Digest == nil:
		p.listed = append(p.listed, p.quota.Keep(found)...)
	}
}

// report counts, and sorts what it lists.
func (p *project) report() *Report {
	p.sayDropped()
	finding.Sort(p.listed)
	r := &Report{ProjectRoot: p.root, Only: p.o.Only, Findings: p.listed, Summary: Summary{
		Packages: len(p.Packages), Deliverables: len(p.Deliverables), Files: p.files, Truncated: p.Truncated, Codes: p.counted.Tallies(),
	}}
	r.Summary.Errors, r.Summary.Warnings = p.counted.Count()
	r.Valid = r.Summary.Errors == 0
	return r
}

// sayDropped adds what the report does not list: of files with very many findings, and of all.
func (p *project) sayDropped() {
	ofFile, all := p.quota.Dropped()
	p.quota = finding.Quota{}
	var more []finding.Finding
	for path, n := range ofFile {
		all -= n
		more = append(more, register.More(path, n))
	}
	if all > 0 {
		more = append(more, ruleMore.At("", 0, "%d more findings are not listed; select some by deliverable, package or code", all))
	}
	p.pass(more)
}
