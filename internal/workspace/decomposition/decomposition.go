// Package decomposition reads the document that takes a project apart into
// packages and deliverables.
//
// People and agents write that document, and no two write it alike. [Parse] knows
// three grammars and any mixture of them:
//
//   - tables whose columns name the parts, under a heading for each package;
//   - the same with the deliverable's short name in its id, "DEL-01-02_Short";
//   - a heading for each deliverable with "**Label:** value" lines below it.
//
// Parse never fails. What cannot be used is a [finding.Finding] with its line:
// nothing is guessed, nothing is dropped in silence. A deliverable is filed by
// what its row says, else by its number, never by the heading that happens to
// stand above it: DEL-02-06 in an amendment after the section of PKG-08 belongs
// to PKG-02.
//
// Contract: workspace spec, sections 1.1, 2, 4 and 10; compatible contract, 8.6
// and S38.
package decomposition

import (
	"strings"

	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Document is what a decomposition says. It is read-only.
type Document struct {
	// Text is set unless the file is none: then nothing of it was read.
	Text bool
	// Title is the first heading of level 1, "" when there is none.
	Title string
	// Packages are in the order of their ids.
	Packages []Package
	// Deliverables are in the order of their ids, also those that belong to no
	// package.
	Deliverables []Deliverable
	// Findings are in the order of their lines.
	Findings []finding.Finding

	packages, deliverables map[string]int // by number
}

// Package is a partition of the work.
type Package struct {
	// ID is as it is written, "PKG-01" or "PKG-001".
	ID, Name string
	// Description is "" when the document has none.
	Description string
	// Line is where it is defined, from 1.
	Line int
}

// Deliverable is a unit of the work. What the document does not say is empty.
type Deliverable struct {
	ID, Name string
	// Package is the id of the package that it belongs to, as the package's own
	// definition writes it; "" when there is none, which is a finding.
	Package string

	Discipline, Type, Responsible string
	// Description may have several lines; those of a list begin with "- ".
	Description           string
	Acceptance, Artifacts []string
	// ScopeItems and Objectives are ids, ranges written out.
	ScopeItems, Objectives []string
	// Line is where it is defined, from 1.
	Line int
}

// Package returns the package with this id, whatever its number of digits.
func (d *Document) Package(id string) (Package, bool) {
	if i, ok := d.packages[layout.Number(id)]; ok {
		return d.Packages[i], true
	}
	return Package{}, false
}

// Deliverable returns the deliverable with this id, whatever its number of
// digits.
func (d *Document) Deliverable(id string) (Deliverable, bool) {
	if i, ok := d.deliverables[layout.Number(id)]; ok {
		return d.Deliverables[i], true
	}
	return Deliverable{}, false
}

// Project is the project's name: the title up to a dash with blanks around it, ""
// without a title.
func (d *Document) Project() string {
	title := d.Title
	for _, dash := range []string{" — ", " – ", " -- ", " - "} {
		if i := strings.Index(title, dash); i > 0 {
			title = title[:i]
		}
	}
	return strings.TrimSpace(title)
}

// Parse reads a decomposition. Path is what findings call the file.
func Parse(path string, data []byte) *Document {
	p := &parser{
		path: path, text: document.Parse(data), out: &Document{packages: map[string]int{}, deliverables: map[string]int{}},
		byNumber: map[string]*definition{}, items: map[string]bool{}, reported: map[string]bool{},
	}
	if !p.text.Valid() {
		p.find(&ruleNotText, 0, "the file is not UTF-8 text")
	} else {
		p.out.Text = true
		p.walk()
		p.settle()
	}
	finding.Sort(p.out.Findings)
	if more := p.findings - maxFindings; more > 0 {
		p.out.Findings = append(p.out.Findings, ruleMore.At(path, 0, "%d more findings are not listed", more))
	}
	return p.out
}
