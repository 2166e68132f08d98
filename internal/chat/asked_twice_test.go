package chat

import (
	"testing"

	"belay/internal/event"
	"belay/internal/permit"
)

// A command with two questions: the second one has its mark and its own diff, and the card says
// how each was answered. Of what was denied it shows no diff.
func TestTwoQuestionsAboutACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	input := []byte(`{"command":"make"}`)
	ask := func(id string, session bool, e permit.Effect) {
		e.Tool, e.Kind, e.Command, e.Done = "bash", permit.Execute, "make", &permit.Done{Files: len(e.Paths)}
		s.log(event.Draft{Type: event.PermissionAsked, Data: event.Permission{DecisionID: id, ToolCallID: "c", Name: "bash", Input: input, Effect: e, Session: session}})
	}
	given := func(id, verdict string) {
		s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: id, ToolCallID: "c", Verdict: verdict, By: "ana"}})
	}
	s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "c", Name: "bash", Input: input}})
	ask("d1", true, permit.Effect{Paths: []string{"a.txt"}, Diff: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+ordinary\n"})
	s.shows("? bash make", "waits for you", "files a.txt", "+ordinary")
	s.lacks("note  .envrc")
	given("d1", "allow")
	ask("d2", false, permit.Effect{
		Paths: []string{".envrc"}, Diff: "--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1,1 @@\n+export A=1\n",
		Automatic: []string{".envrc is run by the shell"},
	})
	s.shows("? bash make", "waits for you", "a.txt: allowed by ana", "files .envrc", "note  .envrc is run by the shell", "+export A=1")
	s.lacks("+ordinary")
	given("d2", "deny")
	s.log(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{
		ToolCallID: "c", Name: "bash", OK: true, Output: "exit code 0\na.txt: applied\n.envrc: not real", Changed: []string{"a.txt"},
	}})
	s.shows("● bash make", "a.txt: allowed by ana", ".envrc: denied by ana", "+ordinary", "changed a.txt")
	s.lacks("+export A=1")
	s.tame()
}
