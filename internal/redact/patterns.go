package redact

import (
	"strings"

	"belay/internal/lazyregexp"
)

// pattern finds unknown keys by their usual shape.
type pattern struct {
	// hint is a literal that every match contains; the expression only runs on
	// text that has it.
	hint string
	re   *lazyregexp.Regexp
	// with replaces a match.
	with string
}

var patterns = []pattern{
	{"sk-", lazyregexp.New(`\bsk-(?:ant|proj|or|svcacct)-[A-Za-z0-9_-]{8,}`), Placeholder},
	{"sk-", lazyregexp.New(`\bsk-[A-Za-z0-9]{20,}`), Placeholder},
	{"earer", lazyregexp.New(`\b([Bb]earer[ \t]+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + Placeholder},
	{"gh", lazyregexp.New(`\bgh[opsur]_[A-Za-z0-9]{20,}`), Placeholder},
	{"github_pat_", lazyregexp.New(`\bgithub_pat_[A-Za-z0-9_]{20,}`), Placeholder},
	{"xox", lazyregexp.New(`\bxox[abprs]-[A-Za-z0-9-]{10,}`), Placeholder},
	{"AKIA", lazyregexp.New(`\bAKIA[0-9A-Z]{16}\b`), Placeholder},
	{"AIza", lazyregexp.New(`\bAIza[0-9A-Za-z_-]{35}`), Placeholder},
}

// keyPatterns replaces what looks like a key.
func keyPatterns(s string) string {
	for _, p := range patterns {
		if strings.Contains(s, p.hint) {
			s = p.re.ReplaceAllString(s, p.with)
		}
	}
	return s
}
