package chat

import (
	"fmt"
	"strings"
	"testing"

	"belay/internal/event"
)

// What a command writes is on its card while it runs: the last lines, as a terminal shows them.
// Its result takes their place.
func TestLiveOutput(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "bash", Input: []byte(`{"command":"make"}`)}})
	for i := range 20 {
		s.log(event.Draft{Type: event.ToolOutput, Data: event.LiveOutput{ToolCallID: "1", Text: fmt.Sprintf("line-%d\n", i)}})
	}
	s.log(event.Draft{Type: event.ToolOutput, Data: event.LiveOutput{ToolCallID: "1", Text: "10 %\r\x1b[2K90 %\r"}})
	s.shows("line-19")
	s.shows("90 %")
	s.shows("15 lines above")
	for _, hidden := range []string{"line-13", "10 %"} {
		if strings.Contains(s.screen(), hidden) {
			t.Errorf("%s is shown:\n%s", hidden, s.screen())
		}
	}
	s.log(event.Draft{Type: event.ToolOutput, Data: event.LiveOutput{ToolCallID: "1", Offset: 300_000, Tail: true, Text: "the newest\n"}})
	s.shows("the newest")
	if strings.Contains(s.screen(), "line-19") {
		t.Errorf("the end does not take the place of what was shown:\n%s", s.screen())
	}
	s.log(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "bash", OK: true, Output: "the result\n"}})
	s.shows("the result")
	if strings.Contains(s.screen(), "the newest") {
		t.Errorf("the result does not take the place of what was shown:\n%s", s.screen())
	}
}
