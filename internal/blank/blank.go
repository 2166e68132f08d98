// Package blank tells texts that show nothing: spaces, and characters without any
// width such as the byte order mark. Wherever a person must say something, such a
// text is as good as none; a model that gets it answers nothing, or a provider
// refuses it.
package blank

import (
	"strings"
	"unicode"
)

// Is reports whether nothing in s can be seen.
func Is(s string) bool { return !strings.ContainsFunc(s, visible) }

// visible reports a character that shows. The others are white space, control
// characters and what Unicode says renderers may ignore
// (Default_Ignorable_Code_Point).
func visible(r rune) bool {
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r):
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	case unicode.Is(unicode.Cf, r): // format characters, but for the few that show
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r >= 0xFFF9 && r <= 0xFFFB || r >= 0x13430 && r <= 0x1345F
	}
	return true
}
