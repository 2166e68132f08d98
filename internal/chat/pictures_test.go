package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/session"
)

// The pictures of docs/chat-screens.md are what the chat draws, in a narrow, a usual and a
// wide window.
func TestPicturesOfViews(t *testing.T) {
	t.Parallel()
	views := []struct {
		name, title string
		play        func(s *stage)
	}{
		{"conversation", "A conversation with calls, a subagent and code", playConversation},
		{"question", "A question about what a command changed", playQuestion},
		{"external", "A question about a call of an MCP server", playExternal},
		{"diff", "The changes of a session as diffs in code", playDiff},
		{"picker", "The list of permission modes", func(s *stage) { s.say("/mode") }},
		{"commands", "The commands while a slash is typed", func(s *stage) { s.press("/") }},
		{"sessions", "The list of sessions", playSessions},
	}
	page, err := os.ReadFile("../../docs/chat-screens.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		for _, width := range []int{60, 100, 200} {
			const rows = 32
			s := newStage(t, func(o *Options) {
				o.Project = "/home/you/bridge"
				o.Welcome = &Welcome{Provider: "anthropic", Key: "set in the environment", Model: "claude-sonnet"}
				o.Models = func(context.Context) ([]ModelChoice, error) {
					return []ModelChoice{{ID: "claude-sonnet", Context: 200_000}}, nil
				}
				o.Always = &Always{File: "/home/you/.config/belay/config.yaml"}
			})
			write(t, s.m.o.Folder, "drawings/site-plan.png")
			s.send(tea.WindowSizeMsg{Width: width, Height: rows})
			v.play(s)
			s.fits()
			got := drawing(v.title, s.m.View().Content, width, rows)
			name := fmt.Sprintf("chat-%s-%d.svg", v.name, width)
			path := filepath.Join("../../docs/images", name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
				t.Errorf("%s is another picture; look at it and write it with make gen", name)
			}
			if !strings.Contains(string(page), "(images/"+name+")") {
				t.Errorf("docs/chat-screens.md does not show %s", name)
			}
		}
	}
}

const deckCode = "```go\n// Level returns the underside of the deck in metres.\nfunc Level(distance float64) (float64, error) {\n\tif distance < 0 {\n\t\treturn 0, errors.New(\"before the bridge\")\n\t}\n\treturn 3.45 + slope*distance, nil\n}\n```\n"

func playConversation(s *stage) {
	s.say("What does @drawings/site-plan.png say about the deck?")
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "claude-sonnet", TurnID: "t1"}},
		event.Draft{Type: event.ChatThinking, Data: event.Text{Text: "The plan names the levels."}})
	s.now = s.now.Add(2 * time.Second)
	yes := true
	s.log(
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "agent.TASK", Input: []byte(`{"task":"list the open points of the register"}`)}},
		event.Draft{Type: event.SubagentStart, Data: event.Subagent{Persona: "TASK", ParentToolCallID: "1"}},
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "2", Name: "grep", Input: []byte(`{"pattern":"TBD","path":"PKG-01"}`), ParentToolCallID: "1"}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "2", Name: "grep", OK: true, Output: "Dependencies.csv:3: TBD\nDependencies.csv:7: TBD", ParentToolCallID: "1", DurationMS: 4}},
		event.Draft{Type: event.SubagentEnd, Data: event.Subagent{Persona: "TASK", ParentToolCallID: "1", OK: &yes}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "agent.TASK", OK: true, Output: "Two dependencies have no date.", DurationMS: 3200}},
		delta("The deck rises from **3.45 m**. This is how the code has it:\n\n"+deckCode),
		event.Draft{Type: event.Usage, Data: event.UsageReport{Tokens: event.Tokens{InputTokens: 48_000, OutputTokens: 600}, Totals: event.Tokens{InputTokens: 48_000, OutputTokens: 600}}},
	)
	s.now = s.now.Add(3 * time.Second)
	s.log(exit(0))
	s.press("!git status")
}

const deckDiff = "--- a/deck/level.go\n+++ b/deck/level.go\n@@ -3,4 +3,7 @@\n // Level returns the underside of the deck in metres.\n-func Level(distance float64) float64 {\n-\treturn 3.40 + slope*distance\n+func Level(distance float64) (float64, error) {\n+\tif distance < 0 {\n+\t\treturn 0, errors.New(\"before the bridge\")\n+\t}\n+\treturn 3.45 + slope*distance, nil // with the new rise\n }\n"

func playQuestion(s *stage) {
	s.say("Fix the level and format the code.")
	input := []byte(`{"command":"gofmt -w deck && go test ./deck"}`)
	cmds, _, err := permit.ParseCommand("gofmt -w deck && go test ./deck")
	if err != nil {
		s.t.Fatal(err)
	}
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "claude-sonnet", TurnID: "t1"}},
		delta("I format the code and run its tests.\n\n"),
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "3", Name: "bash", Input: input}},
		event.Draft{Type: event.PermissionAsked, Data: event.Permission{
			DecisionID: "d", ToolCallID: "3", Name: "bash", Reason: "the command changed 1 file, which is not real yet", Session: true, Persona: "ENGINEER", Input: input,
			Effect: permit.Effect{
				Tool: "bash", Kind: permit.Execute, Deferred: true, Command: "gofmt -w deck && go test ./deck", Commands: cmds,
				Done: &permit.Done{Files: 1, Output: "ok  	bridge/deck	0.012s"}, Paths: []string{"deck/level.go"}, Diff: deckDiff,
			},
		}})
	s.pass(time.Second)
}

func playExternal(s *stage) {
	s.say("Tell the others what has changed.")
	input := []byte(`{"channel":"bridge","text":"The deck lies 0.05 m higher. The survey has to look at point D1."}`)
	const name = "mcp.messages.post_message"
	e := permit.Effect{Tool: name, Kind: permit.External, Summary: name + " " + string(input), Command: indented(s.t, input)}
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "claude-sonnet", TurnID: "t1"}},
		delta("I write to the channel of the project.\n\n"),
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "3", Name: name, Input: input}},
		event.Draft{Type: event.PermissionAsked, Data: event.Permission{
			DecisionID: "d", ToolCallID: "3", Name: name, Reason: permit.Policy{Mode: permit.Direct}.Judge(e).Reason, Session: true, Persona: "ENGINEER", Input: input, Effect: e,
		}})
	s.pass(time.Second)
}

// indented is a JSON text as questions show it.
func indented(t testing.TB, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func playDiff(s *stage) {
	s.begun()
	s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "edit", Input: []byte(`{"path":"deck/level.go","edits":[{"old":"return 3.40 + slope*distance","new":"return 3.45 + slope*distance // with the new rise"}]}`)}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "edit", OK: true, Output: "edited", DurationMS: 12, Changed: []string{"deck/level.go"}}},
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "2", Name: "write", Input: []byte(`{"path":"deck/check.py","content":"# Compares the levels with the survey.\ndef check(levels):\n    for name, level in levels:\n        if level < 3.45:\n            raise ValueError(f\"{name} is too low\")\n"}`)}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "2", Name: "write", OK: true, Output: "written", DurationMS: 9, Changed: []string{"deck/check.py"}}},
		delta("Both files are in place.\n"), exit(0))
}

func playSessions(s *stage) {
	for i, said := range []string{"What is open on the bridge, and what is late?", "Raise the deck by 0.05 m", "Compare the survey with the drawings of the abutments and say where they differ by more than a centimetre"} {
		s.engine.records = append(s.engine.records, session.Record{
			SessionID: fmt.Sprintf("sess_%08x", 0x2f4c8e0a+i*7919), Persona: "ENGINEER", UpdatedAt: session.Time{Time: noon.Add(-time.Duration(i*i+1) * 47 * time.Minute)}, Title: said,
		})
	}
	titles := map[string]string{}
	for _, r := range s.engine.records {
		titles[r.SessionID] = r.Title
	}
	s.m.o.Opening = func(_ context.Context, id string) string { return titles[id] }
	s.say("/session")
}
