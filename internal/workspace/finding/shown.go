package finding

import (
	"strings"
	"unicode"
)

// Printable is text on one line, without broken UTF-8 and without control characters, which a
// terminal would obey.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}
