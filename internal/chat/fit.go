package chat

import (
	"slices"
	"strings"
)

// rank returns the names that fit a query in lower case.
func rank(all []named, query string, most int) (best []listed) {
	type fit struct{ at, score int }
	var fits []fit
	for i, f := range all {
		if score := f.fits(query); score > 0 {
			fits = append(fits, fit{i, score})
		}
	}
	slices.SortFunc(fits, func(a, b fit) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return a.at - b.at
	})
	for _, f := range fits[:min(len(fits), most)] {
		path := all[f.at].path
		best = append(best, listed{strings.TrimSuffix(path, "/"), strings.HasSuffix(path, "/")})
	}
	return best
}

// How well a query can fit: the beginning of a file's own name is best, letters
// somewhere in the path the least. One point less is given for each folder above.
const (
	fitsWhole     = 6000
	fitsBeginning = 5000
	fitsWord      = 4000
	fitsPart      = 3000
	fitsPath      = 2000
	fitsLetters   = 1000
)

// fits says how well a query fits a name, 0 for not at all.
func (f named) fits(query string) int {
	base, depth := f.low[f.base:], strings.Count(f.low, "/")
	at := strings.Index(base, query)
	var score int
	switch {
	case query == "":
		score = fitsLetters
	case base == query:
		score = fitsWhole
	case at == 0:
		score = fitsBeginning
	case at > 0 && begins(base, at):
		score = fitsWord
	case at > 0:
		score = fitsPart
	case strings.Contains(query, "/") && strings.Contains(f.low, query):
		score = fitsPath
	case spread(base, query), spread(f.low, query):
		score = fitsLetters
	default:
		return 0
	}
	return max(1, score-depth)
}

// begins reports whether a word begins at a place.
func begins(s string, at int) bool { return at == 0 || strings.IndexByte(" -_./(,", s[at-1]) >= 0 }

// longestName bounds the work for a name that is looked through letter by letter.
const longestName = 600

// spread reports whether a name has the letters of a query in their order, the first of
// them at the beginning of a word. Fewer than three letters would be in too many names.
func spread(name, query string) bool {
	if len(query) < 3 || len(name) > longestName {
		return false
	}
	for from := 0; from < len(name); from++ {
		at := strings.IndexByte(name[from:], query[0])
		if at < 0 {
			return false
		}
		if from += at; begins(name, from) && inOrder(name[from:], query) {
			return true
		}
	}
	return false
}

func inOrder(name, query string) bool {
	for i := range len(query) {
		at := strings.IndexByte(name, query[i])
		if at < 0 {
			return false
		}
		name = name[at+1:]
	}
	return true
}
