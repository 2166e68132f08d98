package chat

import (
	"encoding/json"
	"testing"

	"belay/internal/event"
	"belay/internal/permit"
)

// A person sees everything that is in a call before they allow it, and on its card
// afterwards.
func TestAQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	ask := func(id, name string, input map[string]any, e permit.Effect) {
		data, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: id, Name: name, Input: data}},
			event.Draft{Type: event.PermissionAsked, Data: event.Permission{DecisionID: id, ToolCallID: id, Name: name, Input: data, Effect: e}})
	}
	command := "make ok\rrm x # a\u200bb"
	ask("1", "bash", map[string]any{"command": command}, permit.Effect{
		Tool: "bash", Kind: permit.Execute, Command: command, Paths: []string{"out\u2060put.txt"}, Hosts: []string{"ex\u200bample.com"},
	})
	s.shows("? bash make ok␍rm x # a<U+200B>b", "$ make ok␍rm x # a<U+200B>b", "files out<U+2060>put.txt", "net   ex<U+200B>ample.com")
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "1", ToolCallID: "1", Verdict: "deny"}})

	content := "one\rtwo\r\n\tthree\u200b\n"
	ask("2", "write", map[string]any{"path": "a\u200b.md", "content": content}, permit.Effect{
		Tool: "write", Kind: permit.Write, Summary: "write a\u200b.md (a new file)", Paths: []string{"a\u200b.md"},
		Diff: "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,2 @@\n+one\rtwo\r\n+\tthree\u200b\n",
	})
	s.shows("? write a<U+200B>.md", "files a<U+200B>.md (a new file)", "+one␍two", "+    three<U+200B>")
	s.lacks("write a<U+200B>.md (a new file)")
	s.lacks("two␍")
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "2", ToolCallID: "2", Verdict: "allow"}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "2", Name: "write", OK: true}})
	s.shows("+one␍two", "+    three<U+200B>")
	s.tame()
}
