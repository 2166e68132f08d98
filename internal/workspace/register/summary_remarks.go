package register

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// remarksHeading is the heading of what tables said that the register does not have.
const remarksHeading = "### Remarks"

// remarks are lines for what the tables of the register's section say of rows and the
// register does not: people write in these tables too, and this text is nowhere else. A single
// word in a column of words, ids or days is a figure, and the register has it by now.
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
			var known values
			if i, ok := rows[id]; ok {
				known = r.valuesOf(i)
			}
			for i, cell := range row.Cells {
				if i == at || i >= len(t.Header) || isFigure(t.Header[i]) && len(strings.Fields(cell)) < 2 || known.say(cell) {
					continue
				}
				lines = append(lines, fmt.Sprintf("- `%s`, %s: %s", id, t.Header[i], cell))
			}
		}
	}
	return lines
}

// addRemarks puts remarks at the end of those that a section has already, or returns them under
// a heading of their own.
func addRemarks(rest, remarks []string) (own, more []string) {
	if len(remarks) == 0 {
		return nil, rest
	}
	for i, line := range rest {
		if strings.TrimSpace(line) != remarksHeading {
			continue
		}
		end := i + 1
		for end < len(rest) && !strings.HasPrefix(rest[end], "#") && (rest[end] == "" || strings.Trim(rest[end], "-") != "") {
			end++
		}
		for end > i+1 && rest[end-1] == "" {
			end--
		}
		if end == i+1 {
			remarks = append([]string{""}, remarks...)
		}
		return nil, slices.Concat(rest[:end], remarks, rest[end:])
	}
	return append([]string{"", remarksHeading, ""}, remarks...), rest
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

// values are the words of each cell of a row, in small letters.
type values [][]string

func (r *Register) valuesOf(row int) (all values) {
	for c := range r.columns {
		if words := wordsIn(r.cellOf(int(r.rows[row]), c)); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// say reports whether a text is made of whole values, of which the last may be only begun.
func (v values) say(text string) bool {
	words := wordsIn(text)
	from := make([]bool, len(words)+1) // whether all from there on is said
	from[len(words)] = true
	for i := len(words) - 1; i >= 0; i-- {
		from[i] = slices.ContainsFunc(v, func(value []string) bool {
			n := min(len(value), len(words)-i)
			return slices.Equal(value[:n], words[i:i+n]) && from[i+n]
		})
	}
	return from[0]
}

func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
