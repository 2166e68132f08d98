package register

import (
	"slices"
	"strings"
	"unicode/utf8"

	"belay/internal/workspace/finding"
)

// file looks at the file as a whole and reports whether there is anything else to
// look at.
func (l *linter) file(r *Register) bool {
	if !r.utf8 {
		line := 1 + lineEnds(r.text[:validPrefix(r.text)])
		l.report(ruleNotUTF8.At(l.path, line, "the file is not UTF-8, from line %d on", line))
		return false
	}
	if i := strings.IndexByte(r.text, 0); i >= 0 {
		line := 1 + lineEnds(r.text[:i])
		l.report(ruleNUL.At(l.path, line, "%d NUL characters, the first in line %d", strings.Count(r.text, "\x00"), line))
	}
	if f, ok := r.Conflicted(l.path); ok {
		l.report(f)
	}
	if l.why != "" {
		line := 1 + lineEnds(r.text[:l.cut])
		l.report(ruleRead.At(l.path, line, "%s; it was read up to line %d", l.why, line))
	}
	if l.loneCR {
		l.report(ruleLoneCR.At(l.path, 0, "a carriage return alone ends a record"))
	}
	if r.stray {
		row := l.strayRow()
		l.report(ruleStray.At(l.path, int(l.records[row].line), "a quote begins inside of a cell").In(row+1, ""))
	}
	if len(l.records) == 0 {
		if l.why == "" {
			l.report(ruleHeader.At(l.path, 0, "the file is empty").WithFix("write the header: %s", canonicalHeader))
		}
		return false
	}
	if l.isOpen() {
		last := len(l.records) - 1
		line := int(l.records[last].line)
		l.report(ruleUnclosed.At(l.path, line, "the row of line %d opens a quote that nothing closes", line).In(last+1, ""))
	}
	return true
}

// validPrefix is how many bytes of a text are UTF-8.
func validPrefix(text string) int {
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return len(text)
}

// strayRow is the record in which a quote first begins inside of a cell.
func (l *linter) strayRow() int {
	for i := range l.records {
		rec := &l.records[i]
		if slices.ContainsFunc(l.cells[rec.first:rec.first+rec.n], func(c cell) bool { return c.form&inside != 0 }) {
			return i
		}
	}
	return 0
}

// header looks at the names of the columns, and reports whether the original's
// reader gets past them.
func (l *linter) header() bool {
	if l.at == inOrder && len(l.columns) == int(numCore) {
		return true
	}
	for _, name := range l.columns {
		if len(name) > maxCell && utf8.RuneCountInString(name) > maxCell {
			l.report(ruleMalformed.At(l.path, 1, "the name of a column has more than %d characters", maxCell).In(1, ""))
			return false
		}
	}
	var missing []string
	for c := range numCore {
		if l.at[c] < 0 {
			missing = append(missing, c.String())
		}
	}
	if len(missing) > 0 {
		names := strings.Join(missing, ", ")
		l.report(ruleColumns.At(l.path, 1, "the header lacks %s", names).Of(names))
	}
	named := map[string]bool{}
	for _, name := range l.columns {
		if _, ok := columnNamed[name]; !ok {
			l.report(ruleUnknownColumn.At(l.path, 1, "the specification knows no column %q", finding.Shown(name)).In(0, shownName(name)))
		}
		if named[name] {
			l.report(ruleTwoColumns.At(l.path, 1, "two columns are called %q", finding.Shown(name)).In(0, shownName(name)))
		}
		named[name] = true
	}
	return true
}
