package chat

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/permit"
)

var update = flag.Bool("update", false, "write the screens in testdata anew")

// The screens in testdata are what a person sees of one conversation, in a narrow
// and in a usual window.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80} {
		s := newStage(t)
		s.send(tea.WindowSizeMsg{Width: width, Height: 66})
		write(t, s.m.o.Folder, "docs/plan.md")
		s.say("Put the date into @docs/plan.md and tell me what is open.")
		s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "claude-sonnet", TurnID: "t1", Warnings: []event.Warning{{Message: "notes.md was refused: it is too large"}}}},
			event.Draft{Type: event.ChatThinking, Data: event.Text{Text: "First I have to see what is in the plan."}})
		s.now = s.now.Add(3 * time.Second)
		s.log(event.Draft{Type: event.ChatThinking, Data: event.Text{Text: " Then I can write."}},
			delta("# What I will do\n\n1. **read** `docs/plan.md`\n2. write the date, 日付\n\n| part | state |\n|---|---|\n| survey of the whole site | done |\n| permits | *open*, see [the list](https://example.com/list) |\n\n"),
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "read", Input: []byte(`{"path":"docs/plan.md"}`)}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "read", OK: true, Output: "1 # Plan\n2\n3 survey\n4 permits\n5 foundations\n6 roof", DurationMS: 3}},
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "2", Name: "edit", Input: []byte(`{"path":"docs/plan.md","edits":[{"old":"# Plan\nsurvey","new":"# Plan\nBegun on the first of March, in the year 2026, at noon.\nsurvey"}]}`)}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "2", Name: "edit", OK: true, Output: "edited", DurationMS: 12, Changed: []string{"docs/plan.md"}}},
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "3", Name: "delegate", Input: []byte(`{"persona":"TASK","message":"count"}`)}},
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "4", Name: "grep", Input: []byte(`{"pattern":"open","path":"docs"}`), ParentToolCallID: "3"}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "4", Name: "grep", OK: false, Output: "docs is not readable", ParentToolCallID: "3"}},
			event.Draft{Type: event.TurnInput, Data: event.Input{Message: "be brief", Mode: "steer"}},
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "5", Name: "bash", Input: []byte(`{"command":"make check"}`)}},
			event.Draft{Type: event.PermissionAsked, Data: event.Permission{
				DecisionID: "d", ToolCallID: "5", Name: "bash", Reason: "no rule allows all that the command does", Session: true, Persona: "WORKING_ITEMS", ExpiresAt: s.now.Add(90 * time.Second),
				Effect: permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make check && curl -s https://example.com/report", Hosts: []string{"example.com"}, Paths: []string{"Makefile"}},
			}})
		s.pass(time.Second)
		s.m.outbox.queued = []steering{{said: said{text: "and then stop"}, mode: "followUp"}}
		s.fits()
		s.tame()
		var lines []string
		for l := range strings.SplitSeq(s.screen(), "\n") {
			lines = append(lines, strings.TrimRight(l, " "))
		}
		got := strings.Join(lines, "\n") + "\n"
		path := filepath.Join("testdata", fmt.Sprintf("screen%d.txt", width))
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
			t.Errorf("%d columns (-want +got); look at it and write it with -update:\n%s", width, diff)
		}
	}
}

// A terminal that counts every code point by itself and one that does not break
// lines in different places; neither loses a character.
func TestCharactersOfSeveralCodePoints(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("हिन्दी ❤️ 👩‍👩‍👧‍👦 🇩🇪 ", 12) + "end"
	whole := func(s *stage) string {
		return strings.Join(strings.Fields(strings.Join(s.m.conversation.view(), " ")), " ")
	}
	s := newStage(t)
	s.begun()
	s.log(delta(text))
	for _, wide := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		if s.m.look.Wide != wide {
			t.Fatalf("columns are counted by method %d, want %d", s.m.look.Wide, wide)
		}
		s.shows("end")
		for l := range strings.SplitSeq(s.m.View().Content, "\n") {
			if n := wide.StringWidth(l); n > 60 {
				t.Errorf("%d columns by method %d: %q", n, wide, l)
			}
		}
		if got := whole(s); !strings.Contains(got, text) {
			t.Errorf("something is lost: %s", got)
		}
		s.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	}
}
