package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A long line of a diff is broken without a loss.
func TestBrokenLinesLoseNothing(t *testing.T) {
	t.Parallel()
	for width := 1; width < 12; width++ {
		parts := Broken("+ab 漢字\tcdefgh", width)
		whole := parts[0]
		for _, p := range parts[1:] {
			whole += strings.TrimPrefix(p, "↳ ")
		}
		if diff := cmp.Diff("+ab 漢字    cdefgh", whole); diff != "" {
			t.Errorf("width %d loses something:\n%s", width, diff)
		}
	}
}
