package config

import (
	"strings"

	"belay/internal/nearest"
)

// suggest returns a hint with the setting whose name is nearest, or "".
func suggest(name string) string {
	best, bestAt := "", 0
	for _, k := range names() {
		if strings.HasPrefix(k, name+".") {
			return "it is a section; name one of its settings, such as " + k
		}
		d := nearest.Distance(name, k)
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
