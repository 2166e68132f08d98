package pdf

import (
	"strings"
	"unicode"
)

// Convincing reports whether text reads like the text of a document with so many
// pages. Light readers fail quietly: a font without a proper Unicode map gives
// private-use or control characters, a scan gives next to nothing, glued or torn
// words come from misjudged gaps. The thresholds are wide: a table of numbers
// must pass.
func Convincing(text string, pages int) bool {
	var letters, odd, spaces, other int
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r):
			letters++
		case unicode.IsSpace(r):
			spaces++
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.Is(unicode.Co, r), !assigned(r):
			odd++
		default:
			other++
		}
	}
	total := letters + odd + spaces + other
	words := strings.Fields(text)
	switch {
	case letters == 0 || letters < 8*pages: // scans, or pages that are mostly pictures
		return false
	case odd*200 > total: // more than half a percent
		return false
	case letters*2 < letters+other: // punctuation soup
		return false
	case letters > 200 && letters > 40*len(words): // no gaps were found
		return false
	case letters > 200 && len(words)*2 > letters && spaced(words): // gaps within words
		return false
	}
	return true
}

// spaced reports whether most words are a single letter.
func spaced(words []string) bool {
	single := 0
	for _, w := range words {
		if r := []rune(w); len(r) == 1 && unicode.IsLetter(r[0]) {
			single++
		}
	}
	return single*2 > len(words)
}

// assigned reports whether r is a character at all.
func assigned(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf)
}
