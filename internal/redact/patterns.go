package redact

import (
	"regexp"
	"strings"
)

// pattern finds keys that nobody told us of by their usual shape.
type pattern struct {
	// hint is a literal that every match contains; the expression only runs on
	// text that has it.
	hint string
	re   *regexp.Regexp
	// with replaces a match.
	with string
}

var patterns = []pattern{
	{"sk-", regexp.MustCompile(`\bsk-(?:ant|proj|or|svcacct)-[A-Za-z0-9_-]{8,}`), Placeholder},
	{"sk-", regexp.MustCompile(`\bsk-[A-Za-z0-9]{20,}`), Placeholder},
	{"earer", regexp.MustCompile(`\b([Bb]earer[ \t]+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + Placeholder},
	{"gh", regexp.MustCompile(`\bgh[opsur]_[A-Za-z0-9]{20,}`), Placeholder},
	{"github_pat_", regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,}`), Placeholder},
	{"xox", regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`), Placeholder},
	{"AKIA", regexp.MustCompile(`\bAKIA[0-9A-Z]{16}\b`), Placeholder},
	{"AIza", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), Placeholder},
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
