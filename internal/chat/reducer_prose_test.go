package chat

import (
	"strings"
	"testing"

	"belay/internal/event"
)

// An answer is on the screen once, whatever comes between its last piece and its end. One that
// came in no pieces is there, also with the words of the one before.
func TestAnAnswerIsShownOnce(t *testing.T) {
	t.Parallel()
	complete := event.Draft{Type: event.ChatComplete, Data: event.Text{Text: "the answer\n"}}
	warning := event.Draft{Type: event.TurnWarning, Data: event.Warning{Code: "JOB_ENDED", Message: "a warning"}}
	call := event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "a", Name: "glob", Input: []byte(`{"pattern":"*"}`)}}
	result := event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "a", Name: "glob", OK: true, Output: "x"}}
	for name, c := range map[string]struct {
		log  []event.Draft
		want int
	}{
		"streamed":            {[]event.Draft{delta("the "), delta("answer"), complete}, 1},
		"not streamed":        {[]event.Draft{complete}, 1},
		"a warning":           {[]event.Draft{delta("the answer"), warning, complete}, 1},
		"two pieces":          {[]event.Draft{delta("first this"), call, result, delta("the answer"), warning, complete}, 1},
		"a question":          {[]event.Draft{delta("the answer"), question("d9")[1], complete}, 1},
		"a turn at its limit": {[]event.Draft{delta("the answer"), call, result, complete}, 1},
		"other words":         {[]event.Draft{delta("first this"), call, result, complete}, 1},
		"said twice":          {[]event.Draft{delta("the answer"), complete, complete}, 2},
	} {
		s := newStage(t)
		s.begun()
		s.log(append(c.log, exit(0))...)
		if got := strings.Count(s.screen(), "the answer"); got != c.want {
			t.Errorf("%s: %d times", name, got)
		}
	}
}
