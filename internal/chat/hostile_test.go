package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"belay/internal/event"
	"belay/internal/render"
)

// attacks are texts that a terminal would obey.
var attacks = []string{
	"\x1b[2J\x1b[H gone", "\x1b]0;title\a", "\x1b]52;c;c2VjcmV0\a", "\x9b31m c1", "bell \a", "back\b\b\b",
	"\x1b[8mhidden", "&#27;[2J entity", "&#x1b;]0;t&#7;", "&#x9b;31m", "[link\x1b[31m](http://x/\x1b]8;;y\x1b\\)",
	"\u202e reversed", "&#8238; reversed", "a\rb", "`code \x1b[1m`", "```\n\x1b[2J\n```", "| \x1b[2J |\n|---|\n| &#27; |",
	"<b\x1b[2J>html</b>", "\xff\xfe broken", "![x](\x1b[2J)",
}

// obeyed is what a terminal would act on in a drawn line, beside colours.
func obeyed(line string) string {
	for i := 0; i < len(line); {
		if strings.HasPrefix(line[i:], "\x1b[") {
			end := strings.IndexFunc(line[i+2:], func(r rune) bool { return !strings.ContainsRune("0123456789;:", r) })
			if end >= 0 && line[i+2+end] == 'm' {
				params := ";" + line[i+2:i+2+end] + ";"
				if strings.Contains(params, ";8;") || strings.Contains(params, ";5;") && !strings.Contains(params, "8;5;") {
					return line[i : i+2+end+1] // hidden or blinking is not ours
				}
				i += 2 + end + 1
				continue
			}
		}
		r := []rune(line[i:])[0]
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return fmt.Sprintf("%q", r)
		}
		i += len(string(r))
	}
	return ""
}

func (s *stage) tame() {
	s.t.Helper()
	for _, l := range strings.Split(s.m.View().Content, "\n") {
		if bad := obeyed(l); bad != "" {
			s.t.Errorf("a terminal would obey %q in %q", bad, l)
		}
	}
	s.fits()
}

// Nothing that a model, a tool, a file name or a person's paste says controls the
// terminal, whatever way it takes to the screen.
func TestControlSequencesAreNeutralised(t *testing.T) {
	t.Parallel()
	for _, bad := range attacks {
		s := newStage(t)
		s.send(tea.WindowSizeMsg{Width: 40, Height: 200})
		s.begun()
		s.pass(time.Second)
		s.log(
			event.Draft{Type: event.ChatThinking, Data: event.Text{Text: bad}},
			delta(bad+"\n\n"+bad),
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: bad, Input: []byte(fmt.Sprintf(`{"path":%q}`, "x"))}},
			event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "2", Name: "bash", Input: []byte(`{"command":"x"}`)}},
			event.Draft{Type: event.ToolOutput, Data: event.LiveOutput{ToolCallID: "2", Text: bad + "\n" + bad}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: bad, OK: true, Output: bad, Changed: []string{bad}}},
			event.Draft{Type: event.AttachmentInput, Data: event.Attachment{ToolCallID: "1", Filename: bad, MIMEType: bad}},
			event.Draft{Type: event.TurnWarning, Data: event.Warning{Message: bad}},
			event.Draft{Type: event.TurnInput, Data: event.Input{Message: bad}},
			event.Draft{Type: event.SubagentStart, Data: event.Subagent{Persona: bad}},
			event.Draft{Type: event.PermissionAsked, Data: event.Permission{
				DecisionID: "d", Name: bad, Reason: bad, Persona: bad, Input: []byte(`"x"`),
				Effect: map[string]any{"tool": "bash", "kind": "execute", "command": bad, "dir": bad, "paths": []string{bad}, "hosts": []string{bad}, "diff": "+" + bad},
			}},
		)
		s.tame()
		s.press("ctrl+o")
		s.tame()
		s.send(tea.PasteMsg{Content: bad})
		s.press("enter")
		s.log(
			event.Draft{Type: event.SessionComplete, Data: event.Complete{StopReason: bad}},
			event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: 1, Error: bad}},
		)
		s.tame()
	}
}

// The same goes for names: of projects, sessions, personas, files and settings.
func TestControlSequencesInNames(t *testing.T) {
	t.Parallel()
	for _, bad := range attacks {
		s := newStage(t, withSessions, func(o *Options) {
			o.Project, o.Allow, o.Opts.Persona, o.Opts.Model, o.Notices = "/p/"+bad, []string{bad}, bad, bad, []string{bad}
			o.Opening = func(context.Context, string) string { return bad }
		})
		s.tame()
		if title := s.m.View().WindowTitle; obeyed(title) != "" {
			t.Errorf("the window is called %q", title)
		}
		for _, line := range []string{"/status", "/persona " + bad, "/attach " + bad, "/session " + bad, "/mode " + bad, "/" + bad, "/session"} {
			s.m.editor.set(line)
			s.press("enter")
			s.tame()
		}
		s.press("esc")
		if err := os.WriteFile(filepath.Join(s.m.o.Folder, "x"+strings.NewReplacer("/", "", "\x00", "").Replace(bad)), nil, 0o600); err != nil {
			continue // no name that this system has
		}
		s.press("@", "tab", "tab")
		s.tame()
	}
}

// Some lines no wrapping of words makes narrow enough.
func TestLinesThatWrapBadly(t *testing.T) {
	t.Parallel()
	look := render.NewLook()
	look.Wide = ansi.WcWidth
	for _, text := range []string{"日本語の文章 \t - item", "1. one ```\n \t - item"} {
		for _, l := range render.Markdown(look, text, 8) {
			if n := look.Cells(l); n > 8 {
				t.Errorf("%d columns of 8: %q in %q", n, l, text)
			}
		}
	}
}

// Whatever is said, at whatever width, no line is wider than the window.
func TestEverythingFits(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"word", "日本語の文章", "👩‍👩‍👧‍👦", "e\u0301\u0301", "https://example.com/a/very/long/path/that/has/no/place/to/break/at/all", "**bold", "`", "```\n", "\n", "\n\n",
		"- item", "1. one", "| a | b |\n|---|---|\n| x | y |\n", "> quote", "# head", "    code", "\t", "~~~", "[x](y)", "<br>", "&amp;", "$", strings.Repeat("x", 300),
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 30).Draw(rt, "words"), " ")
		width := rapid.IntRange(8, 120).Draw(rt, "width")
		look := render.NewLook()
		look.Wide = rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(rt, "wide")
		for _, l := range render.Markdown(look, text, width) {
			room := width
			if look.Wide == ansi.WcWidth && strings.Contains(l, "👩") { // in a narrow window wider than all of it
				room += 8
			}
			if n := look.Cells(l); n > room {
				rt.Fatalf("%d columns of %d: %q in %q", n, width, l, text)
			}
			if bad := obeyed(l); bad != "" {
				rt.Fatalf("a terminal would obey %q in %q", bad, l)
			}
		}
	})
}

func TestWindowsOfEverySize(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.log(delta("# Head\n\n| a | b | c |\n|---|---|---|\n| one | two | three |\n\n```go\nx := 1\n```\n\n日本語の文章"))
	s.log(question("d1")...)
	s.m.outbox.attached = []string{"a file.md"}
	s.everySize()
	menu := newStage(t, withSessions)
	menu.say("/session")
	menu.everySize()
	files := newStage(t)
	write(t, files.m.o.Folder, "a long name of a file.md", "日本語の文章.md")
	files.press("@", "tab", "tab")
	files.everySize()
}

// everySize fails when something does not fit into a window of some size.
func (s *stage) everySize() {
	s.t.Helper()
	for w := 1; w < 100; w += 3 {
		for _, h := range []int{1, 2, 5, 9, 24, 60} {
			s.send(tea.WindowSizeMsg{Width: w, Height: h})
			if v := s.m.View(); v.Content == "" || strings.Count(v.Content, "\n") >= h {
				s.t.Errorf("%d×%d: %d lines", w, h, strings.Count(v.Content, "\n")+1)
			}
			if w >= 10 {
				s.fits()
			}
		}
	}
}

// Ten megabytes are taken in and shown without the screen slowing down.
func TestAFlood(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{
		"lines":       strings.Repeat("a line of the answer\n", 500),
		"one line":    strings.Repeat("no end ", 1500),
		"one word":    strings.Repeat("x", 10000),
		"a long code": "```go\n" + strings.Repeat("x := 1\n", 1400),
		"a long list": strings.Repeat("- item\n", 1400),
		"wide":        strings.Repeat("日本", 1700),
	} {
		s := newStage(t)
		s.begun()
		began := time.Now()
		total := 10 << 20
		if name != "lines" {
			total = 1 << 20
		}
		for n := 0; n < total; n += len(piece) {
			s.m.Update(s.told("t1", delta(piece))) // and nobody reads on
		}
		taken := time.Since(began)
		began = time.Now()
		for range 20 {
			s.m.View()
		}
		drawn := time.Since(began)
		s.press("pgup", "pgup", "pgup")
		s.fits()
		if taken > time.Minute || drawn > time.Minute {
			t.Errorf("%s: taken in %v, 20 screens in %v", name, taken, drawn)
		}
	}
}

func TestAToolThatFloods(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	call := event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "1", Name: "bash", Input: []byte(`{"command":"yes"}`)}}
	for _, out := range []string{strings.Repeat("y\n", 1<<20), strings.Repeat("y", 2<<20)} {
		s.log(call, event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "bash", OK: true, Output: out}})
		began := time.Now()
		s.fits()
		s.press("ctrl+o")
		s.fits()
		s.press("ctrl+o")
		if d := time.Since(began); d > time.Minute {
			t.Errorf("drawn in %v", d)
		}
	}
}
