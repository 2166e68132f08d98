package register

import (
	"fmt"
	"strings"
	"unicode"
)

// remarksHeading is the heading of what tables said that the register does not have.
const remarksHeading = "### Remarks"

// remarks are lines for what the tables of the register's section say of rows and the
// register does not: people write in these tables too, and this text is nowhere else. What
// has a word of its own in the register, such as a status, is a figure and no remark.
func (s *Summary) remarks(p part, r *Register) []string {
	if p.name != sectionRegister {
		return nil
	}
	rows := make(map[string]int, len(r.rows))
	for i := range r.rows {
		rows[r.Row(i).ID()] = i
	}
	var lines []string
	for _, t := range s.doc.Tables(p.first, p.end) {
		at := columnIn(&t, DependencyID)
		if at < 0 {
			continue
		}
		for _, row := range t.Rows {
			id := idIn(row, at)
			var known vocabulary
			if i, ok := rows[id]; ok {
				known = r.vocabulary(i)
			}
			for i, cell := range row.Cells {
				if i != at && i < len(t.Header) && !isFigure(t.Header[i]) && !known.says(cell) {
					lines = append(lines, fmt.Sprintf("- `%s`, %s: %s", id, t.Header[i], cell))
				}
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", remarksHeading, ""}, lines...)
}

// isFigure reports whether a column has words, ids or days, which the register has by now.
func isFigure(header string) bool {
	switch c := columnOf(header); c {
	case numColumns, Statement, EvidenceQuote, SourceRef, EvidenceFile, TargetName, TargetLocation, Notes:
		return false
	default:
		return true
	}
}

// vocabulary are the words of a row, in small letters.
type vocabulary map[string]bool

func (r *Register) vocabulary(row int) vocabulary {
	v := vocabulary{}
	for c := range r.columns {
		for _, w := range wordsIn(r.cellOf(int(r.rows[row]), c)) {
			v[w] = true
		}
	}
	return v
}

// says reports whether each word of a text is one of these.
func (v vocabulary) says(text string) bool {
	for _, w := range wordsIn(text) {
		if !v[w] {
			return false
		}
	}
	return true
}

func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
