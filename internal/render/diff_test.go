package render

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
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

// Of several files each is named where its lines begin, the first one, too. A single one is
// named above the diff.
func TestEveryFileOfADiffIsNamed(t *testing.T) {
	t.Parallel()
	one, two := "--- a/one.go\n+++ b/one.go\n@@ -1 +1 @@\n-a\n+b\n", "--- a/two.md\n+++ b/two.md\n@@ -1 +1 @@\n-c\n+d\n"
	for diff, want := range map[string]string{one: "", one + two: "one.go two.md"} {
		for _, lines := range [][]string{Diff(NewLook(), diff, 80, 99), WholeDiff(NewLook(), diff, 80, 99, "")} {
			var named []string
			for _, s := range lines {
				if name, ok := strings.CutPrefix(ansi.Strip(s), "+++ b/"); ok {
					named = append(named, name)
				}
			}
			if got := strings.Join(named, " "); got != want {
				t.Errorf("it names %q, not %q", got, want)
			}
		}
	}
}
