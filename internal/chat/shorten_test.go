package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"belay/internal/event"
)

// Long paths keep what tells them from others: the name, and how their folders begin.
func TestShortenedPaths(t *testing.T) {
	t.Parallel()
	const path = "PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks & Drainage/Datasheet.md"
	l := newLook()
	for width, want := range map[int]string{
		200:       path,
		len(path): path,
		70:        "PKG-003_Site & Civil W…/1_Working/DEL-03-02_Grading, Ear…/Datasheet.md",
		46:        "PKG-003_Si…/1_Working/DEL-03-02_…/Datasheet.md",
		40:        "…/1_Working/DEL-03-02_Grad…/Datasheet.md",
		20:        "…/Datasheet.md",
		10:        "Datasheet…",
	} {
		if got := l.shorten(path, width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		l.wide = rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(t, "wide")
		p := strings.Join(rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab_ 日é👩"))), 1, 6).Draw(t, "parts"), "/")
		width := rapid.IntRange(1, 60).Draw(t, "width")
		if got := l.shorten(p, width); l.cells(got) > width {
			t.Fatalf("%q has %d columns, want %d at most", got, l.cells(got), width)
		}
	})
}

// On a card the name of a file is seen at every usual width.
func TestCardsNameTheFile(t *testing.T) {
	t.Parallel()
	call := event.ToolUse{ToolCallID: "1", Name: "read", Input: []byte(`{"path":"PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks/Datasheet.md"}`)}
	search := event.ToolUse{ToolCallID: "2", Name: "grep", Input: []byte(`{"pattern":"TBD","path":"PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks/Datasheet.md"}`)}
	for _, width := range []int{50, 60, 80} {
		for _, c := range []event.ToolUse{call, search} {
			head := ansi.Strip((&card{call: c, result: &event.ToolOutcome{OK: true, DurationMS: 1234}}).draw(newLook(), width)[0])
			if !strings.Contains(head, "/Datasheet.md ") {
				t.Errorf("%d columns: %s", width, head)
			}
		}
	}
}
