package register

import (
	"slices"
	"strings"
)

// writer puts the bytes of a draft together.
type writer struct {
	d    *draft
	base *Register
	b    strings.Builder
	// eol is how lines end that have no end of their own yet; pending is the end of
	// the record that was written last.
	eol, pending string
}

func (w *writer) file() []byte {
	base, d := w.base, w.d
	if len(base.records) == 0 {
		w.record(plainRecord(d.columns, false), "")
		for i := range d.rows {
			w.record(plainRecord(d.rows[i].cells, false), "")
		}
		w.flush()
		return []byte(w.b.String())
	}
	w.header()
	all := w.quotesAll()
	for i := range d.rows {
		row := &d.rows[i]
		if row.from < 0 {
			w.record(plainRecord(row.cells, all), "")
			continue
		}
		rec := &base.records[base.rows[row.from]]
		w.gap(w.endBefore(row.from), int(rec.start))
		w.record(w.edited(row, rec), base.text[rec.end:rec.next])
	}
	if end := w.endBefore(len(base.rows)); end < len(base.text) {
		w.gap(end, len(base.text))
	} else if last := base.records[len(base.records)-1]; last.end != last.next {
		w.flush()
	}
	return []byte(w.b.String())
}

// header writes what is before the first row: a byte order mark, blank lines,
// the names.
func (w *writer) header() {
	rec := &w.base.records[0]
	w.b.WriteString(w.base.text[:rec.start])
	names := w.base.text[rec.start:rec.end]
	if w.d.front > 0 {
		names = plainCells(w.d.columns[:w.d.front], false) + "," + names
	}
	if added := w.d.columns[w.d.front+len(w.base.columns):]; len(added) > 0 {
		names += "," + plainCells(added, false)
	}
	w.record(names, w.base.text[rec.end:rec.next])
}

// endBefore is where the record ends that is before row i of the base.
func (w *writer) endBefore(i int) int {
	if i == 0 {
		return int(w.base.records[0].next)
	}
	return int(w.base.records[w.base.rows[i-1]].next)
}

// gap writes what stands between rows: blank lines, and records without anything
// in them.
func (w *writer) gap(from, to int) {
	if from < to {
		w.flush()
		w.b.WriteString(w.base.text[from:to])
		if last := w.base.text[to-1]; last != '\n' && last != '\r' && to < len(w.base.text) {
			w.b.WriteString(w.eol)
		}
	}
}

// record writes a record. What it ends in comes with what is written next.
func (w *writer) record(text, end string) {
	w.flush()
	w.b.WriteString(text)
	if end != "" {
		w.eol = end
	}
	w.pending = w.eol
}

func (w *writer) flush() {
	w.b.WriteString(w.pending)
	w.pending = ""
}

// quotesAll reports whether the last record of the base has all of its cells in
// quotes, as new ones then have.
func (w *writer) quotesAll() bool {
	rec := w.base.records[len(w.base.records)-1]
	return !slices.ContainsFunc(w.base.cells[rec.first:rec.first+rec.n], func(c cell) bool { return c.form&quoted == 0 })
}

// edited is the text of a row that stood in the base.
func (w *writer) edited(row *draftRow, rec *record) string {
	d, base := w.d, w.base
	raw := base.text[rec.start:rec.end]
	width := len(base.columns)
	var b strings.Builder
	if d.front > 0 {
		b.WriteString(plainCells(row.cells[:d.front], false) + ",")
	}
	n := int(rec.n)
	if !row.changed {
		b.WriteString(raw)
	} else {
		cells, values := base.cells[rec.first:rec.first+rec.n], row.cells[d.front:d.front+width]
		for n < width && slices.ContainsFunc(values[n:], func(v string) bool { return v != "" }) {
			n++
		}
		for k := range n {
			if k > 0 {
				b.WriteByte(',')
			}
			switch {
			case k >= len(cells):
				b.WriteString(plainCell(values[k], false))
			case k >= width || base.value(cells[k]) == values[k]:
				b.WriteString(base.text[cells[k].start:cells[k].end])
			default:
				b.WriteString(plainCell(values[k], cells[k].form&quoted != 0))
			}
		}
	}
	if added := row.cells[d.front+width:]; len(added) > 0 {
		b.WriteString(strings.Repeat(",", width-n+1))
		b.WriteString(plainCells(added, false))
	}
	return b.String()
}

// plainRecord is a record of these cells, without its end.
func plainRecord(cells []string, quotes bool) string {
	if len(cells) == 1 && cells[0] == "" {
		return `""` // and not a blank line
	}
	return plainCells(cells, quotes)
}

// plainCells are cells with commas between them.
func plainCells(cells []string, quotes bool) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(plainCell(c, quotes))
	}
	return b.String()
}

// plainCell is a cell as it is written: in quotes where it needs them, or where
// they are wanted.
func plainCell(value string, quotes bool) string {
	if !quotes && !strings.ContainsAny(value, ",\"\r\n") {
		return value
	}
	return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
}
