package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"belay/internal/event"
	"belay/internal/session"
)

// A subagent's card is above its calls, and its result below them, live and when the
// session is opened again.
func TestSubagentsResultIsBelowItsCalls(t *testing.T) {
	t.Parallel()
	ordered := func(s *stage) {
		t.Helper()
		screen, at := s.screen(), -1
		for _, part := range []string{"delegate", "  ● grep", "└ TASK is done", "there are 3 open points", "after all"} {
			next := strings.Index(screen, part)
			if next <= at {
				t.Errorf("%q is not below what is before it:\n%s", part, screen)
			}
			at = next
		}
		if strings.Count(screen, "3 open points") != 1 {
			t.Errorf("the result is shown twice:\n%s", screen)
		}
	}
	s := newStage(t)
	s.begun()
	yes := true
	s.log(
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "delegate", Input: []byte(`{"persona":"TASK","message":"count"}`)}},
		event.Draft{Type: event.SubagentStart, Data: event.Subagent{Persona: "TASK", ParentToolCallID: "1"}},
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "2", Name: "grep", Input: []byte(`{"pattern":"open"}`), ParentToolCallID: "1"}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "2", Name: "grep", OK: true, Output: "a\nb\nc", ParentToolCallID: "1"}},
		event.Draft{Type: event.SubagentEnd, Data: event.Subagent{Persona: "TASK", ParentToolCallID: "1", OK: &yes}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "delegate", OK: true, Output: "there are 3 open points"}},
		delta("after all"),
	)
	ordered(s)
	s.fits()

	again := newStage(t)
	again.m.reducer.resume([]session.Entry{
		{Kind: session.EntryTurn, Turn: "t1", Message: "go", After: -1},
		{Kind: session.EntryAssistant, Turn: "t1", Blocks: []session.Block{{Type: session.BlockToolCall, ID: "1", Name: "delegate", Input: json.RawMessage(`{"persona":"TASK"}`)}}},
		{Kind: session.EntryAssistant, Turn: "t1", Agent: "1", Blocks: []session.Block{{Type: session.BlockToolCall, ID: "2", Name: "grep", Input: json.RawMessage(`{"pattern":"open"}`)}}},
		{Kind: session.EntryTools, Turn: "t1", Agent: "1", Blocks: []session.Block{{Type: session.BlockToolResult, ID: "2", Name: "grep", Text: "a"}}},
		{Kind: session.EntryTools, Turn: "t1", Blocks: []session.Block{{Type: session.BlockToolResult, ID: "1", Name: "delegate", Text: "there are 3 open points"}}},
		{Kind: session.EntryAssistant, Turn: "t1", Blocks: []session.Block{{Type: session.BlockText, Text: "after all"}}},
	})
	screen := again.screen()
	if at, below := strings.Index(screen, "● grep"), strings.Index(screen, "└ delegate is done"); at < 0 || below < at || strings.Index(screen, "3 open points") < below {
		t.Errorf("opened again:\n%s", screen)
	}
}
