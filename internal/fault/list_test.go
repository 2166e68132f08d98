package fault

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxClipped)
	for s, want := range map[string]string{"": "", "a\nb": "a\nb", long: long, long + "y": long + "…", long[1:] + "ü": long[1:] + "…", "a\xff": "a\uFFFD"} {
		if got := Clip(s); got != want || !utf8.ValidString(got) {
			t.Errorf("Clip(%q) = %q", s, got)
		}
	}
}
