package register

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rename replaces DependencyIDs in the summary: in every line but those of the
// history, which says what was. An id that does not begin with DEP is replaced where
// a table lists rows, and nowhere else: it may be any word. To reports what an id
// becomes, "" for one that stays.
func (s *Summary) Rename(to func(id string) string) {
	for _, p := range s.parts {
		if p.name == sectionHistory {
			continue
		}
		for i := p.first; i < p.end; i++ {
			if line := s.doc.Line(i); mayName(line) {
				if renamed := renamed(line, to); renamed != line {
					s.doc.Set(i, renamed)
				}
			}
		}
		for _, t := range s.doc.Tables(p.first, p.end) {
			at := columnIn(&t, DependencyID)
			for _, row := range t.Rows {
				if at < 0 || at >= len(row.Cells) {
					continue
				}
				if id := idIn(row, at); id != "" && to(id) != "" {
					s.doc.SetCell(row.Line, at, strings.Replace(row.Cells[at], id, to(id), 1))
				}
			}
		}
	}
	s.divide()
}

// Note adds a line to the history, where there is one.
func (s *Summary) Note(r *Register, run Run) { s.addToHistory(r, run) }

// idPrefix is how DependencyIDs begin that are known in any text.
const idPrefix = "DEP"

func mayName(text string) bool { return strings.Contains(strings.ToUpper(text), idPrefix) }

// renamed is a text with other ids: those that stand in it as words of their own, and
// not in paths.
func renamed(text string, to func(id string) string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !isIDRune(r) {
				break
			}
			end += size
		}
		if end == i {
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
			i += size
			continue
		}
		word := strings.TrimRight(text[i:end], "-_")
		if mayName(word[:min(len(word), len(idPrefix))]) && !inPath(text, i, end) && to(word) != "" {
			b.WriteString(to(word) + text[i+len(word):end])
		} else {
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}

// inPath reports whether a word is a part of a path, which names a file and no row.
func inPath(text string, start, end int) bool {
	return start > 0 && strings.ContainsRune(`/\`, rune(text[start-1])) || end < len(text) && strings.ContainsRune(`/\`, rune(text[end]))
}

func isIDRune(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
