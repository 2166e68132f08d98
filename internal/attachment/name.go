package attachment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNameBytes caps a display name; file systems stop at 255 as well.
const maxNameBytes = 255

// DisplayName returns the last element of path as it may be shown to people and
// models: split at both slash kinds whatever the system, valid UTF-8, one line,
// at most 255 bytes. Characters that could forge a line or hide part of a name
// (controls, line separators, bidirectional overrides) become visible ones.
func DisplayName(path string) string {
	base := path
	if i := strings.LastIndexAny(base, `/\`); i >= 0 {
		base = base[i+1:]
	}
	base = strings.TrimSpace(visible(base))
	if base == "" {
		return "unnamed"
	}
	return shorten(base, maxNameBytes)
}

// visible replaces every character of s that does not stand for itself on one
// line: C0 controls by their control pictures, the rest by U+FFFD.
func visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s { // invalid UTF-8 already reads as U+FFFD here
		switch {
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case hidden(r):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII, the usual case.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// hidden reports whether r is invisible or changes how its neighbours are shown.
// The two joiners stay: scripts and emoji need them.
func hidden(r rune) bool {
	switch r {
	case '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// shorten cuts s to at most limit bytes, keeping a short extension so that the
// name still says what the file is.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	ext := ""
	if i := strings.LastIndexByte(s, '.'); i > 0 && len(s)-i <= 16 {
		ext = s[i:]
	}
	cut := limit - len(ext) - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…" + ext
}
