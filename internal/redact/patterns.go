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
	// begins finds the end of a text that may become a match, or a longer one, when more
	// text follows.
	begins *lazyregexp.Regexp
}

var patterns = []pattern{
	{"sk-", lazyregexp.New(`\bsk-(?:ant|proj|or|svcacct)-[A-Za-z0-9_-]{8,}`), Placeholder, skBegins},
	{"sk-", lazyregexp.New(`\bsk-[A-Za-z0-9]{20,}`), Placeholder, skBegins},
	{"earer", lazyregexp.New(`\b([Bb]earer[ \t]+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + Placeholder,
		lazyregexp.New(`\b[Bb](?:e(?:a(?:r(?:e(?:r(?:[ \t]+[A-Za-z0-9._~+/=-]*)?)?)?)?)?)?$`)},
	{"gh", lazyregexp.New(`\bgh[opsur]_[A-Za-z0-9]{20,}`), Placeholder, lazyregexp.New(`\bg(?:h(?:[opsur](?:_[A-Za-z0-9]*)?)?)?$`)},
	{"github_pat_", lazyregexp.New(`\bgithub_pat_[A-Za-z0-9_]{20,}`), Placeholder,
		lazyregexp.New(`\bg(?:i(?:t(?:h(?:u(?:b(?:_(?:p(?:a(?:t(?:_[A-Za-z0-9_]*)?)?)?)?)?)?)?)?)?)?$`)},
	{"xox", lazyregexp.New(`\bxox[abprs]-[A-Za-z0-9-]{10,}`), Placeholder, lazyregexp.New(`\bx(?:o(?:x(?:[abprs](?:-[A-Za-z0-9-]*)?)?)?)?$`)},
	{"AKIA", lazyregexp.New(`\bAKIA[0-9A-Z]{16}\b`), Placeholder, lazyregexp.New(`\bA(?:K(?:I(?:A[0-9A-Z]{0,16})?)?)?$`)},
	{"AIza", lazyregexp.New(`\bAIza[0-9A-Za-z_-]{35}`), Placeholder, lazyregexp.New(`\bA(?:I(?:z(?:a[0-9A-Za-z_-]{0,34})?)?)?$`)},
}

var skBegins = lazyregexp.New(`\bs(?:k(?:-[A-Za-z0-9_-]*)?)?$`)

// keyPatterns replaces what looks like a key.
func keyPatterns(s string) string {
	for _, p := range patterns {
		if strings.Contains(s, p.hint) {
			s = p.re.ReplaceAllString(s, p.with)
		}
	}
	return s
}
