package chat

import (
	"fmt"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"belay/internal/event"
	"belay/internal/permit"
)

// The picture of the chat in the README is what the chat draws at the first question of
// the example.
func TestPicture(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) { o.Project = "/home/you/bridge" })
	s.send(tea.WindowSizeMsg{Width: 96, Height: 34})
	write(t, s.m.o.Folder, "PKG-01/deck.csv")
	s.say("Please bring the deck's levels in line with the brief.")
	read := func(id, path, output string) {
		s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: id, Name: "read", Input: []byte(`{"path":"` + path + `"}`)}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: id, Name: "read", OK: true, Output: output, DurationMS: 3}})
	}
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "scripted", TurnID: "t1"}},
		event.Draft{Type: event.ChatThinking, Data: event.Text{Text: "The register says what the deck depends on."}})
	s.now = s.now.Add(2 * time.Second)
	s.log(delta("I look at what the deck depends on.\n\n"))
	read("1", "PKG-01/Dependencies.csv", "1 DependencyID,Statement\n2 DEP-01-01-002,\"0.60 m above the highest water\"")
	read("2", "PKG-01/deck.csv", "1 point,distance_m,underside_m\n2 D0,0.0,3.40")
	const input = `{"path":"PKG-01/deck.csv","edits":[{"old":"D0,0.0,3.40","new":"D0,0.0,3.45"},{"old":"D1,4.5,3.52","new":"D1,4.5,3.57"}]}`
	s.log(delta("**DEP-01-01-002** asks for 0.60 m above 2.85 m, so 3.45 m. I raise the deck by 0.05 m.\n\n"),
		event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "3", Name: "edit", Input: []byte(input)}},
		event.Draft{Type: event.PermissionAsked, Data: event.Permission{
			DecisionID: "d", ToolCallID: "3", Name: "edit", Reason: "it changes project files", Session: true, Persona: "ENGINEER", Input: []byte(input),
			Effect: permit.Effect{Tool: "edit", Kind: permit.Write, Paths: []string{"PKG-01/deck.csv"}, Diff: "--- a/PKG-01/deck.csv\n+++ b/PKG-01/deck.csv\n@@ -1,4 +1,4 @@\n point,distance_m,underside_m\n-D0,0.0,3.40\n-D1,4.5,3.52\n+D0,0.0,3.45\n+D1,4.5,3.57\n D2,9.0,3.58\n"},
		}})
	s.pass(time.Second)
	got := drawing("The chat: an agent reads files, and asks before it changes one. The question shows the change as a diff.", s.m.View().Content, 96, 34)
	const path = "../../docs/images/chat.svg"
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
		t.Error("the picture is another; look at it and write it with -update")
	}
}

// Sizes of the picture, in pixels.
const (
	cellWide, cellHigh = 8, 18
	margin             = 16
)

// palette are the sixteen colours of a terminal, in the picture.
var palette = []string{"#45475a", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4",
	"#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff"}

// pen is how text is written at a place.
type pen struct {
	colour                int // -1 for the terminal's own
	bold, faint, reversed bool
}

// drawing is a screen as SVG.
func drawing(title, screen string, columns, rows int) string {
	var b strings.Builder
	wide, high := columns*cellWide+2*margin, rows*cellHigh+2*margin
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", wide, high, wide, high)
	b.WriteString("<title>" + html.EscapeString(title) + "</title>\n")
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"10\" fill=\"#1e2127\"/>\n", wide, high)
	b.WriteString("<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"13\" fill=\"#dcdfe4\">\n")
	p := pen{colour: -1}
	for row, line := range strings.Split(screen, "\n") {
		column := 0
		for line != "" {
			text, rest, found := strings.Cut(line, "\x1b[")
			write, n := p.write(text, column, row)
			b.WriteString(write)
			column += n
			if !found {
				break
			}
			codes, after, _ := strings.Cut(rest, "m")
			p.set(codes)
			line = after
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// set follows a sequence of the terminal that changes how text is written.
func (p *pen) set(codes string) {
	for code := range strings.SplitSeq(codes, ";") {
		switch n, _ := strconv.Atoi(code); {
		case n == 0:
			*p = pen{colour: -1}
		case n == 1:
			p.bold = true
		case n == 2:
			p.faint = true
		case n == 7:
			p.reversed = true
		case n == 22:
			p.bold, p.faint = false, false
		case n == 27:
			p.reversed = false
		case n == 39:
			p.colour = -1
		case n >= 30 && n <= 37:
			p.colour = n - 30
		case n >= 90 && n <= 97:
			p.colour = n - 82
		}
	}
}

// write is a text at a place, and how many columns it takes. Its spaces keep their width.
func (p *pen) write(text string, column, row int) (string, int) {
	n := ansi.StringWidth(text)
	if strings.TrimSpace(text) == "" && !p.reversed {
		return "", n
	}
	x, y := margin+column*cellWide, margin+row*cellHigh
	style := ""
	if p.colour >= 0 {
		style += fmt.Sprintf(" fill=%q", palette[p.colour])
	}
	if p.bold {
		style += ` font-weight="bold"`
	}
	if p.faint {
		style += ` opacity="0.65"`
	}
	under := ""
	if p.reversed {
		under = fmt.Sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#5c6370\"/>\n", x, y, n*cellWide, cellHigh)
	}
	return under + fmt.Sprintf("<text x=\"%d\" y=\"%d\" textLength=\"%d\"%s>%s</text>\n", x, y+13, n*cellWide, style, strings.ReplaceAll(html.EscapeString(text), " ", "&#160;")), n
}
