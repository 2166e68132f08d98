package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"belay/internal/event"
	"belay/internal/permit"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n":              "plain\ttext\n",
		"echo ok\rrm -rf docs":       "echo ok␍rm -rf docs",
		"a line\r\nanother\r":        "a line\nanother␍",
		"\x1b[2J\x00\x7f\u009b":      "␛[2J␀␡<U+009B>",
		"a\u200bb\u2060c\u00add":     "a<U+200B>b<U+2060>c<U+00AD>d",
		"\ufeffls \u202e\u2028":      "<U+FEFF>ls <U+202E><U+2028>",
		"r\u200dm r\u200cm x\ufe0f":  "r<U+200D>m r<U+200C>m x<U+FE0F>",
		"tag\U000e0041 \u3164\u2800": "tag<U+E0041> <U+3164><U+2800>",
		"❤️ 👩‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽":    "❤️ 👩‍👩‍👧‍👦 🇩🇪 1️⃣ 👍🏽",
		"क्\u200dष می\u200cخواهم": "क्\u200dष می\u200cخواهم",
		"日本 é e\u0301":            "日本 é e\u0301",
		"\xff":                    "\ufffd",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// Nothing is left that a terminal would obey, and two different texts without breaks
// of lines do not look alike for what is left out of one.
func TestVisibleLeavesNothingOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \r\n\t\x1b\u200b\u200d\ufe0f\u202e❤👩日"), unicode.Cf, unicode.Latin)).Draw(t, "text")
		got := Visible(text)
		if clean(strings.ReplaceAll(got, "\t", "")) != strings.ReplaceAll(got, "\t", "") {
			t.Fatalf("%q is not safe to show", got)
		}
		if a, b := len([]rune(strings.ReplaceAll(text, "\r\n", "\n"))), len([]rune(got)); b < a {
			t.Fatalf("%d characters of %q became %d: %q", a, text, b, got)
		}
	})
}

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
