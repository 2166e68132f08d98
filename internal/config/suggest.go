package config

import "strings"

// suggest returns a hint with the setting whose name is nearest, or "".
func suggest(name string) string {
	best, bestAt := "", 0
	for _, k := range names() {
		d := distance(name, k)
		switch {
		// A setting of another section with the same last part is the likeliest
		// mistake of all, a part left off the next.
		case last(name) == last(k):
			d = min(d, 1)
		case len(name) > 3 && strings.HasPrefix(k, name):
			d = min(d, 2)
		}
		if best == "" || d < bestAt {
			best, bestAt = k, d
		}
	}
	if bestAt > max(2, len(name)/4) {
		return "belay config show lists every setting"
	}
	return "did you mean " + best + "?"
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance is the number of edits between two names.
func distance(a, b string) int {
	if len(a) > 100 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
