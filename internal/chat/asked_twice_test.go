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

// A person may allow some of the files that a command changed, here or elsewhere. The card
// names them and shows what was applied.
func TestAllowedOnlySomeFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	input := []byte(`{"command":"make"}`)
	s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "c", Name: "bash", Input: input}})
	s.log(event.Draft{Type: event.PermissionAsked, Data: event.Permission{DecisionID: "d1", ToolCallID: "c", Name: "bash", Input: input, Effect: permit.Effect{
		Tool: "bash", Kind: permit.Execute, Command: "make", Done: &permit.Done{Files: 5}, Paths: []string{"a.txt", "b.txt", "new.txt", "old.txt", "src/c.go"},
		Diff: "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+first\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-was\n+second\n" +
			"--- a/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-third\nnew.txt: a new, empty file\n--- /dev/null\n+++ b/src/c.go\n@@ -0,0 +1,1 @@\n+fourth\n",
	}}})
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d1", ToolCallID: "c", Verdict: "allow", By: "ana"}})
	s.log(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{
		ToolCallID: "c", Name: "bash", OK: true, Output: "exit code 0", Changed: []string{"a.txt", "old.txt"}, Removed: []string{"old.txt"},
	}})
	s.shows("allowed only a.txt, old.txt; 3 files dropped, by ana", "+first", "-third")
	for _, dropped := range []string{"second", "fourth", "b.txt", "empty file"} {
		s.lacks(dropped)
	}
	s.tame()
}
