package decomposition

import (
	"cmp"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/document"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// parser walks over a document once and collects definitions.
type parser struct {
	path string
	text *document.Document
	out  *Document

	packages, deliverables []*definition
	// weak are headings that may be definitions.
	weak     []*definition
	byNumber map[string]*definition
	// byName are the packages of each name, folded; nil until one is stated by its name.
	byName map[string][]string
	// budget is how many ids the ranges may be written out to, ranged how many of these
	// are left; cut is set once their end was reported.
	budget, ranged int
	cut            bool
	// reported are the numbers that a finding of their own is about.
	reported map[string]bool
	findings int

	// around is the package whose section the walk is in, retired the level of
	// the heading under which what is gone is listed; levels are 0 outside.
	around         string
	level, retired int
}

// definition is what one place says of a package or deliverable.
type definition struct {
	kind kind
	id   string
	name string
	// slug is set while the name is only the short one in the id.
	slug bool
	line int // from 1
	// stated is what the place says of the package, as it is written; around is the
	// package whose section it is in.
	stated, around string
	values         [partSupports + 1]string
}

// maxFindings bounds how many findings one document has.
const maxFindings = 1000

func (p *parser) find(rule *finding.Rule, line int, format string, args ...any) {
	if p.findings++; p.findings > maxFindings {
		return
	}
	p.out.Findings = append(p.out.Findings, rule.At(p.path, line, format, args...))
}

// walk visits headings and tables in their order.
func (p *parser) walk() {
	headings := p.text.Headings()
	tables := p.text.Tables(0, p.text.Len())
	for i, h := range headings {
		for len(tables) > 0 && tables[0].Line < h.Line {
			p.table(&tables[0])
			tables = tables[1:]
		}
		p.heading(h, headings[i+1:])
	}
	for i := range tables {
		p.table(&tables[i])
	}
}

// gone is how headings begin under which something is listed that is no more.
var gone = lazyregexp.New(`(?i)^(?:removed|retired|deleted|withdrawn|superseded|dropped)\b`)

func (p *parser) heading(h document.Heading, later []document.Heading) {
	if p.level >= h.Level {
		p.around, p.level = "", 0
	}
	if p.retired >= h.Level {
		p.retired = 0
	}
	if h.Level == 1 && p.out.Title == "" {
		p.out.Title = plain(h.Text)
	}
	r, ok := referHeading(strings.ReplaceAll(h.Text, `\|`, "|"))
	switch {
	case !ok:
		if p.retired == 0 && gone.MatchString(plain(h.Text)) {
			p.retired = h.Level
		}
	case r.malformed:
		p.malformed(r, h.Line)
	case r.kind == kindPackage:
		p.packageHeading(r, h, later)
	case r.kind == kindDeliverable:
		p.deliverableHeading(r, h, later)
	default:
		p.item(r)
	}
}

func (p *parser) packageHeading(r reference, h document.Heading, later []document.Heading) {
	p.around, p.level = r.id, h.Level
	def := p.definition(r, h.Line)
	p.block(def, h, later, false)
	if r.parted || r.joined {
		p.define(def)
	} else {
		p.weak = append(p.weak, def)
	}
}

func (p *parser) deliverableHeading(r reference, h document.Heading, later []document.Heading) {
	def := p.definition(r, h.Line)
	if p.block(def, h, later, true) {
		p.define(def)
	} else {
		p.weak = append(p.weak, def)
	}
}

func (p *parser) definition(r reference, line int) *definition {
	return &definition{kind: r.kind, id: r.id, name: r.label, slug: r.joined, line: line + 1, around: p.around}
}

func (p *parser) malformed(r reference, line int) {
	p.find(&ruleMalformed, line+1, "%s is no id", finding.Shown(r.id))
}

func (p *parser) item(r reference) {
	p.out.items.numbers[string(r.kind)], p.out.items.numbers[layout.Number(r.id)] = true, true
}

// report notes that a finding of its own is about an id.
func (p *parser) report(id string) { p.reported[layout.Number(id)] = true }

// define takes a definition. A second one of the same id adds what the first has
// not; where both say something else, the first holds.
func (p *parser) define(def *definition) {
	if p.retired > 0 {
		p.find(&ruleRetired, def.line, "%s is listed among what is gone", def.id)
		p.report(def.id)
		return
	}
	key := layout.Number(def.id)
	first := p.byNumber[key]
	if first == nil {
		p.byNumber[key] = def
		if def.kind == kindPackage {
			p.packages = append(p.packages, def)
		} else {
			p.deliverables = append(p.deliverables, def)
		}
		return
	}
	p.merge(first, def)
}

func (p *parser) merge(first, def *definition) {
	switch {
	case def.slug || def.name == "" || sameText(first.name, def.name):
	case first.slug || first.name == "":
		first.name, first.slug = def.name, false
	case def.kind == kindDeliverable:
		p.find(&ruleDuplicate, def.line, "%s is %q here and %q in line %d", def.id, finding.Shown(def.name), finding.Shown(first.name), first.line)
	default:
		p.find(&ruleRestated, def.line, "%s is %q here and %q in line %d", def.id, finding.Shown(def.name), finding.Shown(first.name), first.line)
	}
	switch {
	case first.stated == "":
		first.stated = def.stated
	case def.stated != "" && packageKey(first.stated) != packageKey(def.stated):
		p.find(&ruleRestated, def.line, "%s belongs to %s here and to %s in line %d", def.id, finding.Shown(def.stated), finding.Shown(first.stated), first.line)
	}
	first.around = cmp.Or(first.around, def.around)
	for i, v := range def.values {
		switch was := first.values[i]; {
		case v == "" || sameText(was, v):
		case was == "":
			first.values[i] = v
		case def.kind == kindDeliverable:
			p.find(&ruleRestated, def.line, "the %s of %s differs from the one in line %d", partNames[part(i)], def.id, first.line)
		}
	}
}

// sameText compares without regard to blanks. It looks no further than the first
// difference.
func sameText(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, " \t\n"), strings.TrimLeft(b, " \t\n")
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		if i == len(a) && i == len(b) {
			return true
		}
		a, b = a[i:], b[i:]
		if !blank(a) || !blank(b) {
			return false
		}
	}
}

// blank reports whether s is over or goes on with a blank.
func blank(s string) bool { return s == "" || strings.IndexByte(" \t\n", s[0]) >= 0 }
