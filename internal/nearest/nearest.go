// Package nearest finds what a person most likely meant by a name that is not
// known: the known name that takes the fewest edits. Every "did you mean" of the
// program comes from here.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// maxName bounds the names that are compared, in characters: nobody mistypes a
// longer one, and the work grows with the product of two lengths.
const maxName = 100

// Of returns the known name nearest to name, "" when none is near. Capitals do
// not count. Near is one edit in four characters, and at least one, where a
// character stays as it is; a name of three characters or more is also near when a known name begins with it. Of
// names equally near, the one with the longest common start holds, since people
// rarely mistype the first character; then the first.
func Of(name string, known []string) string {
	best, least, longest := "", -1, 0
	folded := strings.ToLower(name)
	for _, k := range known {
		low := strings.ToLower(k)
		d, start := Distance(folded, low), commonStart(folded, low)
		if utf8.RuneCountInString(name) >= 3 && strings.HasPrefix(low, folded) {
			d = min(d, 1)
		}
		if d > tolerance(name) || d > 0 && d >= utf8.RuneCountInString(name) {
			continue
		}
		if least < 0 || d < least || d == least && start > longest {
			best, least, longest = k, d, start
		}
	}
	return best
}

// commonStart is how many characters two names have in common at their start.
func commonStart(a, b string) (n int) {
	s, t := []rune(a), []rune(b)
	for n < min(len(s), len(t)) && s[n] == t[n] {
		n++
	}
	return n
}

// tolerance is how many edits a mistyped name may be away.
func tolerance(name string) int { return max(1, (utf8.RuneCountInString(name)+1)/4) }

// Distance is the number of edits between two names: a character more, less or
// other, or two neighbours that changed places. Names longer than 100 characters
// are as far from every other as they are long.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > maxName || len(t) > maxName {
		return max(len(s), len(t))
	}
	// rows[i%3][j] is the distance between the first i and the first j characters.
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		row, above := rows[i%3], rows[(i-1)%3]
		row[0] = i
		for j := 1; j <= len(t); j++ {
			other := 0
			if s[i-1] != t[j-1] {
				other = 1
			}
			row[j] = min(above[j-1]+other, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], rows[(i-2)%3][j-2]+1)
			}
		}
	}
	return rows[len(s)%3][len(t)]
}
