package decomposition

import (
	"cmp"
	"strings"

	"belay/internal/workspace/document"
)

// table reads the rows of a table that define something. Tables whose columns do
// not say that they do (crosswalks, ledgers, histories) are passed over.
func (p *parser) table(t *document.Table) {
	cols := make([]part, len(t.Header))
	for i, h := range t.Header {
		cols[i] = partOf(plain(h))
	}
	at := idColumn(cols)
	if at < 0 {
		return
	}
	for _, row := range t.Rows {
		if at >= len(row.Cells) {
			continue
		}
		r, ok := refer(row.Cells[at])
		if !ok {
			r, ok = small(row.Cells[at])
		}
		switch {
		case !ok:
		case r.kind == kindScopeItem || r.kind == kindObjective:
			p.item(r)
		default:
			p.row(r, cols, at, t, row)
		}
	}
}

// small is [refer] for the id of a package or deliverable that is not written in capitals, and
// so is malformed.
func small(text string) (reference, bool) {
	r, ok := refer(strings.ToUpper(text))
	if !ok || r.kind != kindPackage && r.kind != kindDeliverable {
		return reference{}, false
	}
	r.id, r.malformed = plain(text)[:len(r.id)], true
	return r, true
}

// idColumn is the column with the ids that a table is about, -1 when it has none:
// the first, or the deliverable's after that of its package, or one after an
// ordinal number.
func idColumn(cols []part) int {
	first := 0
	if len(cols) > 1 && (cols[0] == partOrdinal || cols[0] == other && cols[1] == partDeliverable) {
		first = 1
	}
	if first >= len(cols) {
		return -1
	}
	switch cols[first] {
	case partPackage:
		if first+1 < len(cols) && cols[first+1] == partDeliverable {
			return first + 1
		}
		return first
	case partID, partDeliverable, partScopeItem, partObjective:
		return first
	}
	return -1
}

// row reads the definition of a package or deliverable.
func (p *parser) row(r reference, cols []part, at int, t *document.Table, row document.Row) {
	own, ofPackage := partPackage, partName
	if r.kind == kindDeliverable {
		own, ofPackage = partDeliverable, partPackage
	}
	def := p.definition(r, row.Line)
	named, given := r.label != "", ""
	for i, c := range cols[:min(len(cols), len(row.Cells))] {
		if i == at {
			continue
		}
		value := row.Cells[i]
		if strings.Contains(value, "<") { // as few cells have
			value = strings.TrimSpace(lineBreak.ReplaceAllString(value, "\n"))
		}
		switch c {
		case own:
			c = partName // "ID | Deliverable"
		case partPackageName:
			c = ofPackage
		}
		switch {
		case c == partName:
			given = cmp.Or(given, plain(value))
			named = true
		case c == partPackage:
			p.state(def, value)
		case c > partName && def.values[c] == "":
			def.values[c] = value
		}
	}
	if given != "" {
		def.name, def.slug = given, false
	}
	if !named {
		return // a table about deliverables that are defined elsewhere
	}
	if r.malformed {
		p.malformed(r, row.Line)
		return
	}
	if len(row.Cells) > len(t.Header) {
		p.find(&ruleCells, row.Line+1, "the row of %s has %d cells, its table %d columns", r.id, len(row.Cells), len(t.Header))
	}
	p.define(def)
}

// state notes what a deliverable's definition says of its package.
func (p *parser) state(def *definition, value string) {
	switch r, ok := refer(value); {
	case IsOpen(value) || def.stated != "":
	case ok && r.malformed && r.kind == kindPackage:
		p.malformed(r, def.line-1)
	default:
		def.stated = oneLine(plain(value))
	}
}
