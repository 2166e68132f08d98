package register

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"belay/internal/durable"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// maxFindings bounds what is reported about one file.
const maxFindings = 20_000

// Lint says what is wrong with the register: the original's findings, errors
// before warnings and each in the order of the rows, and then those beyond it.
// Path is what the findings name. Host is the folder or the id of the deliverable
// that has the register; without it nothing is compared with it.
func (r *Register) Lint(path, host string) []finding.Finding {
	l := linter{table: &r.table, columns: r.columns, at: r.at, path: path, pkg: packageOf(path), host: layout.ParseName(host)}
	if r.stray {
		// Readers differ, and the verdict is that of the original's.
		t := split(r.text, quoteAtStart)
		l.table = &t
		l.columns, l.at = header(&t)
	}
	if l.file(r) && l.header() {
		l.rows()
	}
	all := slices.Concat(l.errors, l.warnings, l.extra)
	if more := len(all) - maxFindings; more > 0 {
		all = slices.Insert(all[:maxFindings], 0, More(path, more)) // where a part of the list has it, too
	}
	return all
}

// More is the finding about those of a file that are not reported.
func More(path string, n int) finding.Finding {
	return ruleMore.At(path, 0, "%d more findings are not listed", n)
}

// Records is the number of records after the header, as the original counts
// rows: one of blank cells is one.
func (r *Register) Records() int { return max(0, len(r.records)-1) }

// linter is one look at a register.
type linter struct {
	*table
	columns []string
	at      places
	path    string
	pkg     string // the id of the package in which it is
	host    layout.Name

	errors, warnings, extra []finding.Finding

	// The row that is looked at: its record and its trimmed values.
	record *record
	number int
	values [numColumns]string

	// allLong is set where every row has more cells than the header.
	allLong bool

	seen       map[string]int // row by DependencyID
	from       string         // the first FromDeliverableID
	day        string         // the last date that is one: rows often have the same
	implements int
}

// report files a finding.
func (l *linter) report(f finding.Finding) {
	switch {
	case f.Extra:
		l.extra = append(l.extra, f)
	case f.Severity == finding.Error:
		l.errors = append(l.errors, f)
	default:
		l.warnings = append(l.warnings, f)
	}
}

// cellIs reports a cell of the row.
func (l *linter) cellIs(rule *finding.Rule, c Column, format string, args ...any) {
	l.report(rule.At(l.path, int(l.record.line), format, args...).In(l.number, c.String()).Of(l.values[c]))
}

// rows looks at every record after the header.
func (l *linter) rows() {
	if len(l.records) > 1 {
		l.seen = make(map[string]int, min(len(l.records), 1<<12))
	}
	width := uint32(len(l.columns))
	l.allLong = len(l.records) > 2 && !slices.ContainsFunc(l.records[1:], func(r record) bool { return r.n <= width })
	for i := 1; i < len(l.records); i++ {
		if len(l.errors)+len(l.warnings)+len(l.extra) > maxFindings {
			return
		}
		l.record, l.number = &l.records[i], i+1
		if l.shape() {
			l.row()
		}
	}
	if l.implements != 1 {
		l.report(ruleCardinality.At(l.path, 0, "%d ACTIVE IMPLEMENTS_NODE rows, not one", l.implements).Of(strconv.Itoa(l.implements)))
	}
}

// longRowFix says what to do about cells after the last column, "" where the usual
// reason holds, a comma without quotes: then the cells after it stand in the wrong
// columns.
func (l *linter) longRowFix(more []cell) string {
	if !enumerations[Status].has(strings.ToUpper(l.values[Status])) {
		return ""
	}
	if !slices.ContainsFunc(more, func(c cell) bool { return strings.TrimSpace(l.value(c)) != "" }) {
		return fmt.Sprintf("remove the %d commas at the end of the row, or name the columns in the header", len(more))
	}
	if l.allLong {
		return fmt.Sprintf("every row has more cells than the header: name the last %d columns in the header, or remove their cells", len(more))
	}
	return ""
}

// shape looks at the cells of a record and reads their values. It reports whether
// they are where the header says.
func (l *linter) shape() bool {
	rec, width := l.record, len(l.columns)
	cells := l.cells[rec.first : rec.first+rec.n]
	for i := range cells {
		c := &cells[i]
		if c.end-c.start > maxCell && utf8.RuneCountInString(l.value(*c)) > maxCell {
			l.report(ruleMalformed.At(l.path, int(rec.line), "a cell has more than %d characters", maxCell).In(l.number, l.columnName(i)))
			return false
		}
		if isFormula(l.value(*c)) {
			l.report(ruleFormula.At(l.path, int(rec.line), "a spreadsheet takes the cell for a formula").In(l.number, l.columnName(i)).Of(l.value(*c)))
		}
	}
	for c, at := range l.at {
		v := ""
		if at >= 0 && int(at) < len(cells) {
			v = strings.TrimSpace(l.value(cells[at]))
		}
		l.values[c] = v
	}
	switch {
	case len(cells) > width:
		f := ruleLongRow.At(l.path, int(rec.line), "%d cells under %d columns", len(cells), width).In(l.number, "")
		if fix := l.longRowFix(cells[width:]); fix != "" {
			f = f.WithFix("%s", fix)
		}
		l.report(f)
	case len(cells) < width:
		l.report(ruleShortRow.At(l.path, int(rec.line), "%d cells under %d columns", len(cells), width).In(l.number, ""))
	}
	return true
}

func (l *linter) columnName(i int) string {
	if i < len(l.columns) {
		return shownName(l.columns[i])
	}
	return ""
}

// shownName is a column's name for a finding, which must not keep the file in memory.
func shownName(name string) string { return strings.Clone(finding.Shown(name)) }

// Closed is the finding about the registers of a folder that could not be listed, which is that
// of a scan.
func Closed(f finding.Finding) finding.Finding {
	return ruleNotReadable.At(f.Path, 0, "the folder %s, so that the registers in it were not checked", f.Message).WithFix("%s", f.Fix)
}

// Conflicted is the finding about a register with an unresolved conflict of a merge, false where
// it has none. Its rows are those of both sides.
func (r *Register) Conflicted(path string) (finding.Finding, bool) {
	line := r.conflict()
	return ruleConflict.At(path, line, "a conflict of a merge begins here"), line > 0
}

// Unreadable is the finding about a register that could not be read.
func Unreadable(path string, err error) finding.Finding {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ruleNotFound.At(path, 0, "there is no such file")
	case errors.Is(err, durable.ErrTooLarge):
		return ruleRead.At(path, 0, "the file is larger than %d bytes", MaxBytes)
	case errors.Is(err, durable.ErrNotRegular):
		return ruleNotReadable.At(path, 0, "it is no regular file")
	case errors.Is(err, fs.ErrPermission):
		return ruleNotReadable.At(path, 0, "permission denied")
	}
	return ruleNotReadable.At(path, 0, "it cannot be opened, or a link leads out of the project")
}
