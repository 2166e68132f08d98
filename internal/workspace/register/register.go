// Package register is a deliverable's dependency register: Dependencies.csv, and
// the summary of it in _DEPENDENCIES.md.
//
// [Parse] reads a register losslessly: whatever quotes, line ends, blank lines or
// missing cells it has, [Register.Bytes] gives the same bytes back. On top of the
// bytes are three things that do not change them:
//
//   - the verdict: [Register.Lint] says what the original's linter says of a file,
//     finding by finding, and what we look at beyond it, marked as extra;
//   - the view: [Row.Value] and [Register.View] are the rows as programs want them,
//     legacy words replaced and enumerations in capitals;
//   - the writer: [Register.Put], [Register.Apply] check a change by every rule of
//     the specification and rewrite only the records that change.
//
// A [Summary] is _DEPENDENCIES.md, whose human sections no program touches. A
// [Proposal] is a change that a person has yet to apply.
//
// Contract: workspace spec, sections 5 and 6; compatible contract, 1.16, 8.3 and
// 10; shortcomings S35 and S36.
package register

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/workspace/document"
)

// The limits of what is read. A register of a thousand rows has half a megabyte.
const (
	// MaxBytes is the largest file, in bytes.
	MaxBytes = 16 << 20
	// maxCell is the longest cell, in characters: that of the original's reader.
	maxCell = 128 << 10
	// maxRowCells and maxCells bound the cells of one record and of a file, maxRows
	// its rows.
	maxRowCells = 1 << 10
	maxCells    = 1 << 22
	maxRows     = 100_000
	// maxView bounds a register as programs get it, in bytes.
	maxView = 64 << 20
)

const bom = "\ufeff"

// Register is a register as it was read. It is immutable and safe for concurrent
// use.
type Register struct {
	table
	// columns are the header's names, trimmed.
	columns []string
	// at is where each known column stands, -1 for nowhere.
	at places
	// rows are the records that hold anything, the header apart.
	rows []int32
	utf8 bool
}

// places are the positions of the known columns in a header.
type places [numColumns]int16

// Parse reads a register. Any bytes are one: what is wrong with them is for
// [Register.Lint] to say.
func Parse(data []byte) *Register {
	r := &Register{table: split(string(data), quoteAnywhere)}
	r.utf8 = utf8.ValidString(r.text)
	r.columns, r.at = header(&r.table)
	if len(r.records) > 1 {
		r.rows = make([]int32, 0, len(r.records)-1)
	}
	for i := 1; i < len(r.records); i++ {
		if !r.isBlank(i) {
			r.rows = append(r.rows, int32(i))
		}
	}
	return r
}

// conflict is the line, from 1, with which an unresolved conflict of a merge begins, 0 for none.
func (r *Register) conflict() int { return document.ConflictInText(r.text) }

// conflicted is why a file with such a conflict is neither written nor taken over.
func conflicted(line int) string {
	return fmt.Sprintf("it has a conflict of a merge that nobody has resolved, from line %d on", line)
}

// Bytes is the file's content, as it was read.
func (r *Register) Bytes() []byte { return []byte(r.text) }

// Len is the number of rows. Records without anything in them are none.
func (r *Register) Len() int { return len(r.rows) }

// HasID reports whether a row has an id.
func (r *Register) HasID(id string) bool {
	return slices.ContainsFunc(r.rows, func(i int32) bool { return Row{r, int(i)}.ID() == id })
}

// Row is row i, from 0.
func (r *Register) Row(i int) Row { return Row{r, int(r.rows[i])} }

// Has reports whether the header names a column.
func (r *Register) Has(c Column) bool { return r.at[c] >= 0 }

// Row is one row of a register.
type Row struct {
	r      *Register
	record int
}

// Number is the record's number in the file, the header being 1; blank lines do
// not count.
func (w Row) Number() int { return w.record + 1 }

// Raw is a cell as it is written, "" for one that the row or the header does not
// have.
func (w Row) Raw(c Column) string { return w.r.cellOf(w.record, int(w.r.at[c])) }

// Value is a cell in canonical form: an enumeration trimmed, in capitals and
// without legacy words, everything else as it is written.
func (w Row) Value(c Column) string {
	v, _ := canonical(c, w.Raw(c))
	return v
}

// ID is the row's identity, trimmed.
func (w Row) ID() string { return strings.TrimSpace(w.Raw(DependencyID)) }

// Active reports whether the row is observed at present.
func (w Row) Active() bool { return w.Value(Status) == statusActive }

// cellOf is the value of a cell, "" where there is none.
func (t *table) cellOf(record, column int) string {
	rec := &t.records[record]
	if column < 0 || column >= int(rec.n) {
		return ""
	}
	return t.value(t.cells[int(rec.first)+column])
}

// isBlank reports whether a record has nothing but blanks in it.
func (t *table) isBlank(record int) bool {
	rec := &t.records[record]
	return !slices.ContainsFunc(t.cells[rec.first:rec.first+rec.n], func(c cell) bool { return c.start != c.end && strings.TrimSpace(t.value(c)) != "" })
}

// header reads the names of the first record and finds the known ones.
func header(t *table) ([]string, places) {
	if len(t.records) == 0 {
		return nil, nowhere
	}
	rec := &t.records[0]
	if t.text[rec.start:rec.end] == canonicalHeader {
		return coreNames, inOrder
	}
	names, at := make([]string, rec.n), nowhere
	for i := range names {
		names[i] = strings.TrimSpace(t.cellOf(0, i))
		if c, ok := columnNamed[names[i]]; ok {
			at[c] = int16(i) // of two, the last counts
		}
	}
	return names, at
}
