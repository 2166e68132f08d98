package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"belay/internal/event"
	"belay/internal/render"
)

// On a card the name of a file is seen at every usual width.
func TestCardsNameTheFile(t *testing.T) {
	t.Parallel()
	call := event.ToolUse{ToolCallID: "1", Name: "read", Input: []byte(`{"path":"PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks/Datasheet.md"}`)}
	search := event.ToolUse{ToolCallID: "2", Name: "grep", Input: []byte(`{"pattern":"TBD","path":"PKG-003_Site & Civil Works/1_Working/DEL-03-02_Grading, Earthworks/Datasheet.md"}`)}
	for _, width := range []int{50, 60, 80} {
		for _, c := range []event.ToolUse{call, search} {
			head := ansi.Strip((&card{call: c, result: &event.ToolOutcome{OK: true, DurationMS: 1234}}).draw(render.NewLook(), width)[0])
			if !strings.Contains(head, "/Datasheet.md ") {
				t.Errorf("%d columns: %s", width, head)
			}
		}
	}
}
