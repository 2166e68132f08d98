package decomposition

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/layout"
)

// settle makes packages and deliverables of what was defined, files the
// deliverables, and says what is missing or at odds.
func (p *parser) settle() {
	p.useWeak()
	d := p.out
	d.items.sort()
	for _, def := range p.packages {
		p.named(def)
		d.Packages = append(d.Packages, Package{ID: def.id, Name: def.name, Description: tidy(def.values[partDescription]), Line: def.line})
	}
	slices.SortStableFunc(d.Packages, func(a, b Package) int { return strings.Compare(a.ID, b.ID) })
	for i, pkg := range d.Packages {
		d.packages[layout.Number(pkg.ID)] = i
	}
	used := map[string]bool{}
	for _, def := range p.deliverables {
		p.named(def)
		del := p.deliverable(def)
		used[del.Package] = true
		d.Deliverables = append(d.Deliverables, del)
	}
	slices.SortStableFunc(d.Deliverables, func(a, b Deliverable) int { return strings.Compare(a.ID, b.ID) })
	for i, del := range d.Deliverables {
		d.deliverables[layout.Number(del.ID)] = i
	}
	for _, pkg := range d.Packages {
		if !used[pkg.ID] {
			p.find(&ruleEmptyPackage, pkg.Line, "%s has no deliverable", pkg.ID)
		}
	}
	if len(d.Packages) == 0 {
		p.find(&ruleNoPackages, 0, "the document defines no package")
	}
	if len(d.Deliverables) == 0 {
		p.find(&ruleNoDeliverables, 0, "the document defines no deliverable")
	}
	p.checkCounts()
	p.mentions()
}

// useWeak takes the headings that only look like definitions for those, where
// nothing else defines what they name: every deliverable, and the packages that
// deliverables need.
func (p *parser) useWeak() {
	for _, def := range p.weak {
		if def.kind == kindDeliverable && p.byNumber[layout.Number(def.id)] == nil {
			p.define(def)
		}
	}
	needed := map[string]bool{}
	for _, def := range p.deliverables {
		needed[layout.Number(ofNumber(def.id))] = true
		needed[layout.Number(def.around)] = true
		needed[packageKey(def.stated)] = true
	}
	for _, def := range p.weak {
		if key := layout.Number(def.id); def.kind == kindPackage && p.byNumber[key] == nil && needed[key] {
			p.define(def)
		}
	}
}

func (p *parser) named(def *definition) {
	def.name = oneLine(def.name)
	if layout.Sanitize(def.name) == "" {
		p.find(&ruleNoName, def.line, "%s has no name", def.id)
	}
}

// deliverable makes a deliverable of its definition.
func (p *parser) deliverable(def *definition) Deliverable {
	v := &def.values
	for i := range v {
		v[i] = tidy(v[i])
	}
	for _, c := range []part{partDiscipline, partType, partResponsible} {
		v[c] = oneLine(v[c])
	}
	pkg, section := p.packageOf(def)
	del := Deliverable{
		ID: def.id, Name: def.name, Short: def.slug, Package: pkg, Section: section, Line: def.line,
		Discipline: v[partDiscipline], Type: v[partType], Responsible: v[partResponsible], Description: v[partDescription],
		Acceptance: items(v[partAcceptance]), Artifacts: artifacts(v[partArtifacts]),
		ScopeItems: p.listed(scopeIDs, v[partCovers], def), Objectives: p.listed(objectiveIDs, v[partSupports], def),
	}
	for _, ids := range [][]string{del.ScopeItems, del.Objectives} {
		for _, id := range ids {
			if items := p.out.items.numbers; items[id[:3]] && !items[layout.Number(id)] {
				p.find(&ruleUnknownItem, del.Line, "%s names %s, which is not defined", del.ID, id)
			}
		}
	}
	return del
}

// listed are the ids in a value of a definition. The first ranges that are not written out
// are reported.
func (p *parser) listed(ids *lazyregexp.Regexp, value string, def *definition) []string {
	most := min(p.ranged, maxListed)
	left := most
	all, cut := p.out.items.listed(ids, value, &left)
	p.ranged -= most - left
	if cut && !p.cut {
		p.cut = true
		p.find(&ruleRanges, def.line, "the ranges of %s, and perhaps of later deliverables, are not written out as a whole: a value may stand for %d ids, and all of this document for %d",
			def.id, maxListed, p.budget)
	}
	return all
}

// mentions reports ids that the text has and no definition.
func (p *parser) mentions() {
	seen := p.reported
	p.formerIDs(func(id string) { seen[layout.Number(id)] = true })
	for i := range p.text.Len() {
		line := p.text.Line(i)
		for start, end := nextID(line, 0); start >= 0; start, end = nextID(line, end) {
			id := line[start:end]
			if label, joined := strings.CutPrefix(line[end:], "_"); joined {
				p.spelled(id, label)
			}
			if p.text.Inert(i) || goesOn(line[end:]) || seen[layout.Number(id)] || p.byNumber[layout.Number(id)] != nil {
				continue
			}
			seen[layout.Number(id)] = true
			p.find(&ruleMentioned, i+1, "%s is mentioned, but not defined", id)
		}
	}
}

// nextID is where the next match of anyID from i on is, start -1 for nowhere. Documents
// have very many ids, and the expression takes several times as long.
func nextID(text string, i int) (start, end int) {
	for {
		n := strings.IndexByte(text[i:], '-')
		if n < 0 {
			return -1, 0
		}
		start, end = i+n-len("PKG"), i+n+1
		if start < i || start > 0 && isWordByte(text[start-1]) {
			i = end
			continue
		}
		word, number := text[start:i+n], digits(text[end:], 3)
		i = end
		end += number
		if number < 2 || word != "PKG" && word != "DEL" {
			continue
		}
		if word == "PKG" {
			return start, end
		}
		if rest := text[end:]; rest != "" && rest[0] == '-' && digits(rest[1:], 2) == 2 {
			return start, end + len("-01")
		}
	}
}

// digits is how many digits a text begins with, at most most.
func digits(text string, most int) (n int) {
	for n < min(len(text), most) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// maxSpelled bounds how many labels of one id are kept.
const maxSpelled = 20

// spelled notes a label that is joined to an id.
func (p *parser) spelled(id, label string) {
	label = label[:min(len(label), layout.MaxName)]
	if all := p.out.spelled[id]; len(all) < maxSpelled && !slices.Contains(all, label) {
		p.out.spelled[strings.Clone(id)] = append(all, strings.Clone(label))
	}
}

var (
	formerColumn = lazyregexp.New(`(?i)\b(?:old|former|previous|prior|superseded|replaced)\b`)
	editions     = lazyregexp.New(`(?i)\bv[0-9]+`)
)

// formerIDs visits the ids in tables of what was renumbered, in the columns of what
// they were before: these name no deliverable of today.
func (p *parser) formerIDs(visit func(id string)) {
	for _, t := range p.text.Tables(0, p.text.Len()) {
		last := -1 // of the columns that name an edition; it is today's
		for k, h := range t.Header {
			if editions.MatchString(h) {
				last = k
			}
		}
		for k, h := range t.Header {
			if !formerColumn.MatchString(h) && (k >= last || !editions.MatchString(h)) {
				continue
			}
			for _, row := range t.Rows {
				if k >= len(row.Cells) {
					continue
				}
				for _, id := range anyID.FindAllString(row.Cells[k], -1) {
					visit(id)
				}
			}
		}
	}
}

// goesOn reports whether what follows an id makes it a longer one.
func goesOn(rest string) bool {
	if len(rest) > 1 && rest[0] == '-' {
		rest = rest[1:]
	}
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
