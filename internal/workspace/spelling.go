package workspace

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold brings a file name to the form in which it is compared with protected
// names. File systems differ in which spellings are one file: some ignore case,
// some the normal form of letters, some invisible characters, Windows dots and
// spaces at the end and what follows a colon. Fold ignores all of them, on every
// system, so two names that are the same file anywhere fold to the same name.
// The price is that a few names are protected which would be harmless here.
func Fold(name string) string {
	name, _, _ = strings.Cut(name, ":") // a stream of the file, on Windows
	if ascii(name) {
		return strings.ToLower(strings.TrimRight(name, ". "))
	}
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, name)
	name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
	name, _, _ = strings.Cut(name, ":") // a wide colon is one by now
	return strings.TrimRight(name, ". ")
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// SameName reports whether a folded name is the file called want, which is folded
// too, by its own name or by the short one that Windows gives it: GIT~1 is .git.
func SameName(folded, want string) bool {
	if folded == want {
		return true
	}
	base, rest, short := strings.Cut(folded, "~")
	if !short || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	stem := want
	if i := strings.LastIndexByte(want, '.'); i > 0 {
		stem = want[:i]
	}
	stem = strings.Map(func(r rune) rune {
		if r == '.' || r == ' ' {
			return -1
		}
		return r
	}, stem)
	return base == stem[:min(len(stem), 6)]
}

// components takes a path apart at both kinds of slashes, because a name that is
// harmless with a backslash in it is two names on Windows.
func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
}
