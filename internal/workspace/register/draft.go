package register

import (
	"errors"
	"fmt"
	"slices"
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
	// named are the columns that a name stands for: of two of that name, the last. Values
	// that are given by name go there, and the other keeps its own.
	named []bool
	rows  []draftRow
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
	d.known, d.at, d.named = knownColumns(d.columns), nowhere, make([]bool, len(d.columns))
	last := make(map[string]int, len(d.columns))
	for i, c := range d.known {
		if c != numColumns {
			d.at[c] = int16(i)
		}
		last[d.columns[i]] = i
	}
	for _, i := range last {
		d.named[i] = true
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
	case r.conflict() > 0:
		return errors.New(conflicted(r.conflict()))
	case slices.ContainsFunc(r.columns, func(name string) bool { return len(name) > maxCell }):
		return fmt.Errorf("the name of a column is longer than %d bytes", maxCell)
	}
	if err := r.Columned(); err != nil { // its rows would get the columns that they seem to lack
		return err
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
