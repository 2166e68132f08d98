package render

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// Long paths keep what distinguishes them from others: the name, and how their folders begin.
func TestShortenedPaths(t *testing.T) {
	t.Parallel()
	const path = "PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks & Drainage/Datasheet.md"
	l := NewLook()
	for width, want := range map[int]string{
		200:       path,
		len(path): path,
		70:        "PKG-003_Site & Civil W…/1_Working/DEL-03-02_Grading, Ear…/Datasheet.md",
		46:        "PKG-003_Si…/1_Working/DEL-03-02_…/Datasheet.md",
		40:        "…/1_Working/DEL-03-02_Grad…/Datasheet.md",
		20:        "…/Datasheet.md",
		10:        "Datasheet…",
	} {
		if got := l.Shorten(path, width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
	if got, want := l.Shorten("/tmp/a-long-name-of-a-folder/project/long.txt", 20), "…/project/long.txt"; got != want {
		t.Errorf("short folders: %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		l.Wide = rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(t, "wide")
		p := strings.Join(rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab_ 日é👩"))), 1, 6).Draw(t, "parts"), "/")
		width := rapid.IntRange(1, 60).Draw(t, "width")
		if got := l.Shorten(p, width); l.Cells(got) > width {
			t.Fatalf("%q has %d columns, want %d at most", got, l.Cells(got), width)
		}
	})
}
