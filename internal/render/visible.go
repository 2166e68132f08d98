package render

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible shows everything that is in a text on which a person decides. What a
// terminal would obey, or show as nothing, gets a sign: a control character its
// picture, anything else its number, such as <U+200B>. Line ends and tabs stay, and
// so does what joins letters of other scripts and the parts of a picture, where it
// does. The result is as safe to show as that of clean.
func Visible(s string) string {
	plain := true
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] == '\n' || s[i] == '\t' || s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	all := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(all) {
			return 0
		}
		return all[i]
	}
	for i, r := range all {
		switch {
		case r == '\r' && at(i+1) == '\n':
		case r == '\n' || r == '\t' || !hidden(at(i-1), r, at(i+1)):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('␀' + r)
		case r == 0x7f:
			b.WriteRune('␡')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Characters that are seen by what they do to their neighbours.
const (
	nonJoiner, joiner            = '\u200c', '\u200d'
	textStyle, pictureStyle      = '\ufe0e', '\ufe0f'
	keycap                       = '\u20e3'
	blankBraille            rune = '\u2800'
)

// hidden reports whether a character between two others is not seen.
func hidden(before, r, after rune) bool {
	switch r {
	case nonJoiner, joiner:
		return !joined(before) || !joined(after)
	case textStyle, pictureStyle:
		return after != keycap && (before < unicode.MaxASCII || !unicode.IsSymbol(before) && !unicode.IsPunct(before))
	case blankBraille:
		return true
	}
	return unsafeRune(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// joined reports whether a character may be joined to the next by one that is not
// seen: letters of other scripts than ours, and pictures.
func joined(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}
