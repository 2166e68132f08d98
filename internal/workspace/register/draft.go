package register

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// draft is a register as it is to become. Rows that stay as they are keep their
// bytes; of the others only the cells change that hold something else.
type draft struct {
	base *Register
	// columns are the header's names: front new ones, those of the base, new ones.
	columns []string
	front   int
	known   []Column
	at      places
	rows    []draftRow
}

// draftRow is a row of a draft.
type draftRow struct {
	// from is the row of the base that it was, -1 for a new one.
	from int
	// cells are its canonical values, one for each column.
	cells []string
	// changed is set for a new row, and for one with another value than before.
	changed bool
}

// get is the row's value in a known column.
func (d *draft) get(row *draftRow, c Column) string {
	if at := d.at[c]; at >= 0 {
		return row.cells[at]
	}
	return ""
}

// newDraft is a draft without rows. More are the names of columns that it needs
// beside those of the base.
func newDraft(base *Register, more []string) *draft {
	d := &draft{base: base}
	switch {
	case len(base.records) == 0:
		d.columns = slices.Clone(coreNames)
	case !base.Has(SchemaVersion):
		d.columns, d.front = append([]string{SchemaVersion.String()}, base.columns...), 1
	default:
		d.columns = slices.Clone(base.columns)
	}
	for _, name := range more {
		if !slices.Contains(d.columns, name) {
			d.columns = append(d.columns, name)
		}
	}
	d.known, d.at = knownColumns(d.columns), nowhere
	for i, c := range d.known {
		if c != numColumns {
			d.at[c] = int16(i)
		}
	}
	return d
}

// before are the values of row i of the base under the draft's columns.
func (d *draft) before(i int) []string {
	cells, _ := d.base.canonicalCells(i, d.known[:min(len(d.known), d.front+len(d.base.columns))], d.front > 0)
	return append(cells, make([]string, len(d.columns)-len(cells))...)
}

// writable returns why nothing can be written to the base, or nil.
func (d *draft) writable() error {
	r := d.base
	switch {
	case r.why != "":
		return errors.New(r.why)
	case !r.utf8:
		return errors.New("it is not UTF-8")
	case r.isOpen():
		return errors.New("it ends inside of quotes")
	case slices.ContainsFunc(r.columns, func(name string) bool { return len(name) > maxCell }):
		return fmt.Errorf("the name of a column is longer than %d bytes", maxCell)
	}
	if len(d.columns) > d.front+len(r.columns) {
		for i := range r.records {
			if int(r.records[i].n) > len(r.columns) && len(r.columns) > 0 {
				return fmt.Errorf("a column has to be added, and row %d has more cells than the header", i+1)
			}
		}
	}
	return nil
}

// render writes the draft and reads it back.
func (d *draft) render() (*Register, error) {
	w := writer{d: d, base: d.base, eol: "\n"}
	data := w.file()
	r := Parse(data)
	if len(r.rows) != len(d.rows) {
		return nil, fmt.Errorf("the register that was to be written has %d rows, not %d", len(r.rows), len(d.rows))
	}
	for i := range d.rows {
		got, _ := r.canonicalCells(i, d.known, false)
		if !slices.Equal(got, d.rows[i].cells) {
			return nil, fmt.Errorf("row %d of the register that was to be written reads back otherwise", i+1)
		}
	}
	return r, nil
}

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
	for _, c := range w.base.cells[rec.first : rec.first+rec.n] {
		if c.form&quoted == 0 {
			return false
		}
	}
	return true
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
