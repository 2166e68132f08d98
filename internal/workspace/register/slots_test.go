package register

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// The labels that are found by hand are those that an expression finds.
func TestBoldNumber(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`\*\*([^*]{1,80}?):?\*\*:?[ \t]*(\d{1,9})(?:[^\d.,/-]|$)`)
	piece := rapid.SampledFrom([]string{
		"**", "*", ":", " ", "\t", "Rows", "rows ACTIVE", "0", "12", "123456789", "1234567890", ".", ",", "/", "-", "é", "|",
		"a label of many words, which is about as long as a label in bold letters can be, ok", "**Rows:** 12", "**n**: 3",
	})
	rapid.Check(t, func(t *rapid.T) {
		var line string
		for _, p := range rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces") {
			line += p
		}
		rest := 0
		for _, m := range form.FindAllStringSubmatchIndex(line, -1) {
			b, ok := boldNumber(line, rest)
			if !ok || b.label != line[m[2]:m[3]] || b.start != m[4] || b.end != m[5] || b.next != m[1] {
				t.Fatalf("%q: %+v, %v; the expression has %q at %v", line, b, ok, line[m[2]:m[3]], m)
			}
			rest = b.next
		}
		if b, ok := boldNumber(line, rest); ok {
			t.Fatalf("%q: %+v, and the expression has none", line, b)
		}
	})
}
