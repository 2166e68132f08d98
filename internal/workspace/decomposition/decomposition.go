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
// nothing is guessed, nothing is dropped in silence. A deliverable belongs to the
// package that its own column or label names; else to the package of its number,
// if one is defined; else to the package in whose section it is. So DEL-02-06
// in an amendment after the section of PKG-08 belongs to PKG-02, and DEL-40-01
// with the label "Package: PKG-02" as well.
//
// Contract: workspace spec, sections 1.1, 2, 4 and 10; compatible contract, 8.6
// and S38.
package decomposition

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// Document is what a decomposition says. It is read-only.
type Document struct {
	// Text is set unless the file is none: then nothing of it was read.
	Text bool
	// Conflict is the line, from 1, with which an unresolved conflict of a merge begins, 0 for
	// none. What is defined after it may be missing.
	Conflict int
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
	// spelled is what follows the ids of packages and deliverables that are joined to
	// more by an underline, by id.
	spelled map[string][]string
	// items are the scope items and objectives.
	items itemSet
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
	// Short is set while Name is the short one in the id, "DEL-01-02_ShortName", and the
	// document has no other.
	Short bool
	// Package is the id of the package that it belongs to, as the package's own
	// definition writes it; "" when there is none, which is a finding.
	Package string
	// Section is the package in whose section it is, where only its number
	// speaks for Package; "" otherwise. People may have filed it under either.
	Section string

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

// ScopeItemsIn are the ids of scope items in a text, each once. Ranges are written out;
// where both ends are defined, to the items that are.
// Of very large ranges only a part is.
func (d *Document) ScopeItemsIn(text string) []string { return d.in(scopeIDs, text) }

// ObjectivesIn are the ids of objectives in a text, as [Document.ScopeItemsIn].
func (d *Document) ObjectivesIn(text string) []string { return d.in(objectiveIDs, text) }

func (d *Document) in(ids *lazyregexp.Regexp, text string) []string {
	left := maxListed
	all, _ := d.items.listed(ids, text, &left)
	return all
}

// NamesFolder reports whether a folder bears the name that a package or deliverable with
// this id and name has (workspace 10.2): its name, with underlines for blanks or without,
// or any that the document spells for the id. Letters with marks may be composed or not: file
// systems and programs differ in that, and nobody sees it.
func (d *Document) NamesFolder(folder, id, name string) bool {
	want := layout.Folder(id, name)
	blanks := func(s string) string { return norm.NFC.String(strings.ReplaceAll(s, "_", " ")) }
	return want == "" || blanks(folder) == blanks(want) || d.spells(folder)
}

// spells reports whether the document has the whole name of a folder, such as
// "DEL-01-02_Short", anywhere in its text.
func (d *Document) spells(folder string) bool {
	id, label, joined := strings.Cut(folder, "_")
	return joined && slices.ContainsFunc(d.spelled[id], func(text string) bool {
		rest, ok := strings.CutPrefix(norm.NFC.String(text), norm.NFC.String(label))
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \t"))
		return ok && (rest == "" || next != '_' && next != '-' && !unicode.IsLetter(next) && !unicode.IsDigit(next))
	})
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
		path: path, text: document.Parse(data), byNumber: map[string]*definition{}, reported: map[string]bool{}, budget: rangeBudget(len(data)),
	}
	p.ranged = p.budget
	p.out = &Document{packages: map[string]int{}, deliverables: map[string]int{}, spelled: map[string][]string{}, items: itemSet{numbers: map[string]bool{}}}
	if !p.text.Valid() {
		p.find(&ruleNotText, 0, "the file is not UTF-8 text")
	} else {
		p.out.Text = true
		if p.out.Conflict = p.text.Conflict(); p.out.Conflict > 0 {
			p.find(&ruleConflict, p.out.Conflict, "a conflict of a merge begins here")
		}
		p.walk()
		p.settle()
	}
	finding.Sort(p.out.Findings)
	if more := p.findings - maxFindings; more > 0 {
		p.out.Findings = append(p.out.Findings, ruleMore.At(path, 0, "%d more findings are not listed", more))
	}
	return p.out
}
