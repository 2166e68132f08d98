package register

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"belay/internal/fault"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// The limits of a request.
const (
	maxNewColumns = 64
	maxColumnName = 128
)

// Put makes the register that has exactly these rows, in this order, as an
// original client sends them: each a map from header to value. What a row does not
// name of the core columns is empty; what it does not name of others stays.
//
// Rows are known by DependencyID. One that says nothing new keeps its bytes and is
// not judged, whatever is wrong with it: rows that are all as they were give the
// register itself. Of one that changes only the cells do that hold something else,
// and every rule holds for the whole row. Rows are never deleted: leaving one out is
// ROW_DELETION_REFUSED. A row whose id was invalid may get a valid one, where
// nothing else of it changes. Host is the folder or id of the deliverable. The
// warnings are those of the compatible contract, without those of reading. On an
// error, which lists all problems, nothing is changed.
func (r *Register) Put(rows []map[string]string, host string) (*Register, []string, error) {
	if len(rows) > maxRows {
		return nil, nil, fault.New(fault.InvalidRequest, "rows are more than the %d that a register may have", maxRows).With("field", "rows")
	}
	more, err := r.newColumns(rows)
	if err != nil {
		return nil, nil, err
	}
	d := newDraft(r, more)
	match := newMatcher(r)
	warnings := make([][]string, len(rows))
	for i, row := range rows {
		dr := draftRow{from: match.find(row[DependencyID.String()])}
		dr.cells, warnings[i] = d.cellsOf(row, dr.from)
		d.rows = append(d.rows, dr)
	}
	d.adopt(match)
	for i := range d.rows {
		dr := &d.rows[i]
		dr.changed = dr.from < 0 || !slices.Equal(dr.cells, d.before(dr.from))
	}
	if d.asBefore() {
		return r, d.warnings(warnings), nil
	}
	if err := d.refused(); err != nil {
		return nil, nil, err
	}
	k := checker{d: d, host: hostID(host), rowName: "rows[%d]"}
	k.rows()
	k.satisfaction()
	if err := k.refuse(); err != nil {
		if k.oldIDs() {
			err.Message += "; belay deps renumber corrects ids that were invalid before"
		}
		return nil, nil, err
	}
	if left := match.left(); len(left) > 0 {
		return nil, nil, deletion(left)
	}
	after, err := d.finish()
	if err != nil {
		return nil, nil, err
	}
	return after, d.warnings(warnings), nil
}

// asBefore reports whether a draft is its base: the same rows in the same order
// under the same columns.
func (d *draft) asBefore() bool {
	if len(d.base.records) == 0 || len(d.columns) != len(d.base.columns) || len(d.rows) != len(d.base.rows) {
		return false
	}
	for i := range d.rows {
		if d.rows[i].changed || d.rows[i].from != i {
			return false
		}
	}
	return true
}

func hostID(host string) string {
	if name := layout.ParseName(host); name.Kind == layout.Deliverable {
		return name.ID
	}
	return ""
}

// refused is why the draft cannot be written, as an error for the caller.
func (d *draft) refused() error {
	err := d.writable()
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		return e
	}
	if err != nil {
		return fault.New(fault.InvalidSchema, "%s cannot be written to: %v", layout.RegisterFile, err).
			WithHint("belay deps lint names the line; fix the file in an editor")
	}
	return nil
}

// finish renders the draft.
func (d *draft) finish() (*Register, error) {
	after, err := d.render()
	if err != nil {
		return nil, fault.New(fault.WorkspaceFailure, "the register was not written: it would not have read back as it was meant").Because(err)
	}
	if len(after.text) > MaxBytes {
		return nil, fault.New(fault.InvalidRequest, "the register would be larger than %d bytes", MaxBytes)
	}
	return after, nil
}

// newColumns are the names in rows that the register has no column for, in the
// order in which they are added. An empty register takes every name, one that has
// rows only those with a value.
func (r *Register) newColumns(rows []map[string]string) ([]string, error) {
	empty := len(r.records) == 0
	wanted, has := map[string]bool{}, setOf(r.columns)
	for i, row := range rows {
		for name, value := range row {
			if _, known := columnNamed[name]; value == "" && (known || !empty) || wanted[name] || has[name] {
				continue
			}
			if why := badName(name); why != "" {
				return nil, fault.New(fault.InvalidRequest, "rows[%d]: the column name %q %s", i, finding.Shown(name), why).With("field", fmt.Sprintf("rows[%d]", i))
			}
			wanted[name] = true
		}
	}
	var more []string
	for c := range numColumns { // the core ones, then the extensions
		if wanted[c.String()] && (!empty || c >= numCore) {
			more = append(more, c.String())
		}
		delete(wanted, c.String())
	}
	more = append(more, slices.Sorted(maps.Keys(wanted))...)
	if len(more) > maxNewColumns {
		return nil, fault.New(fault.InvalidRequest, "the rows need %d columns that the register does not have; at most %d can be added at once", len(more), maxNewColumns).
			With("field", "rows")
	}
	return more, nil
}

// badName says why a text cannot be a column's name, "" when it can.
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxColumnName:
		return fmt.Sprintf("is longer than %d bytes", maxColumnName)
	case strings.TrimSpace(strings.TrimPrefix(name, bom)) != name:
		return "begins or ends with a blank"
	case strings.ContainsFunc(name, forbidden) || strings.ContainsAny(name, "\r\n\t"):
		return "holds a control character"
	case isFormula(name):
		return "begins like a formula"
	}
	return ""
}

// cellsOf are the values of a row of a request, in the draft's columns, and the
// warnings about older words.
func (d *draft) cellsOf(row map[string]string, from int) (cells, warnings []string) {
	cells = make([]string, len(d.columns))
	if from >= 0 {
		copy(cells, d.before(from))
	}
	for i, name := range d.columns {
		c := d.known[i]
		value, given := row[name]
		switch {
		case !d.named[i]:
			continue
		case !given && c >= numCore:
			continue
		}
		var warning string
		if cells[i], warning = normalized(c, value); warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return cells, warnings
}

// warnings are those of the writer, row by row and then of the whole.
func (d *draft) warnings(replaced [][]string) []string {
	all := []string{}
	implements := 0
	for i := range d.rows {
		row := &d.rows[i]
		id := strings.TrimSpace(d.get(row, DependencyID))
		for _, w := range replaced[i] {
			all = append(all, "ROW:"+id+":"+w)
		}
		if wordCount(d.get(row, EvidenceQuote)) > maxQuoteWords {
			all = append(all, "ROW:"+id+":"+warnQuote)
		}
		if d.get(row, AnchorType) == implementsNode && d.get(row, Status) == statusActive {
			implements++
		}
	}
	if len(d.rows) > 0 && implements != 1 {
		all = append(all, warnImplements)
	}
	return all
}
