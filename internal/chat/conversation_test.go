package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/event"
	"belay/internal/render"
	"belay/internal/session"
)

// counted is an item that knows how often it was drawn.
type counted struct {
	name  string
	lines int
	drawn *int
}

func (c *counted) draw(*render.Look, int) []string {
	*c.drawn++
	var out []string
	for i := range c.lines {
		out = append(out, fmt.Sprintf("%s.%d", c.name, i))
	}
	return out
}

// What the window shows is a part of all lines, and scrolling moves it by as many
// lines as were asked for, but for the ends.
func TestScrolling(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := conversation{look: render.NewLook()}
		r.resize(20, rapid.IntRange(1, 10).Draw(rt, "height"))
		drawn := 0
		var all []string
		grow := func() {
			it := &counted{fmt.Sprint(len(r.cells)), rapid.IntRange(0, 6).Draw(rt, "lines"), &drawn}
			r.add(it)
			if it.lines > 0 && len(r.cells) > 1 {
				all = append(all, "")
			}
			all = append(all, it.draw(nil, 0)...)
		}
		top, loose := 0, false
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			end := max(0, len(all)-r.height)
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				grow()
				end = max(0, len(all)-r.height)
				if !loose {
					top = end
				}
			case 1:
				n := rapid.IntRange(1, 8).Draw(rt, "up")
				r.scroll(-n)
				top = max(0, top-n)
				loose = top < end
			case 2:
				n := rapid.IntRange(1, 8).Draw(rt, "down")
				r.scroll(n)
				top = min(end, top+n)
				loose = top < end
			}
			want := all[top:min(len(all), top+r.height)]
			if got := r.view(); !slices.Equal(want, got) {
				rt.Fatalf("top %d (-want +got):\n%s", top, cmp.Diff(want, got))
			}
		}
	})
}

// A call on the project says in words what it is about.
func TestCallsOnTheProject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	for i, call := range []struct{ name, input, shown string }{
		{"project.propose", `{"deliverable":"DEL-03-01","note":"late","rows":[{"Status":"ACTIVE"},{"Status":"RETIRED"}]}`, "project.propose 2 rows for DEL-03-01"},
		{"project.propose", `{"deliverable":"DEL-03-02","rows":7}`, "project.propose 0 rows for DEL-03-02"},
		{"project.status", `{"deliverable":"DEL-03-03"}`, "project.status DEL-03-03"},
		{"project.status", `{"to":"IN_PROGRESS","deliverable":"DEL-03-04"}`, "project.status DEL-03-04 to IN_PROGRESS"},
	} {
		s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: fmt.Sprint("p", i), Name: call.name, Input: []byte(call.input)}})
		s.shows("○ " + call.shown)
	}
	s.lacks("{")
	s.fits()
}

// Who has scrolled up stays about where they were when things are folded or the
// window changes, and never sees less than there is.
func TestScrolledUpAndFolded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(delta("before"))
	for i := range 3 {
		id := fmt.Sprint("c", i)
		s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: id, Name: "bash", Input: []byte(`{"command":"seq 500"}`)}},
			event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: id, Name: "bash", OK: true, Output: strings.Repeat("a line\n", 500)}})
	}
	s.log(delta(strings.Repeat("after\n\n", 50)))
	s.press("ctrl+o")
	s.shows("after")
	for range 40 {
		s.press("pgup")
	}
	s.shows("scrolled up", "a line")
	s.press("ctrl+o")
	s.shows("scrolled up", "more lines (Ctrl-O)")
	s.press("pgup")
	s.shows("before")

	s.send(tea.WindowSizeMsg{Width: 60, Height: 300})
	s.lacks("scrolled up")
	s.shows("before", "▌ go")
	s.fits()
}

// Of a long session only what is on the screen is drawn, and once.
func TestOnlyWhatIsVisibleIsDrawn(t *testing.T) {
	t.Parallel()
	r := conversation{look: render.NewLook()}
	r.resize(40, 20)
	drawn := 0
	for i := range 10_000 {
		r.add(&counted{fmt.Sprint(i), 3, &drawn})
	}
	for range 100 {
		r.view()
	}
	if drawn > 10 {
		t.Errorf("%d items were drawn for 20 lines", drawn)
	}
	r.scroll(-100)
	r.view()
	if drawn > 50 {
		t.Errorf("%d items were drawn after a page", drawn)
	}
}

// longTranscript is the transcript of a long session.
func longTranscript(turns int) []session.Entry {
	var all []session.Entry
	zero := 0
	for i := range turns {
		id := fmt.Sprint("t", i)
		all = append(all,
			session.Entry{Kind: session.EntryTurn, Turn: id, Message: "a question"},
			session.Entry{Kind: session.EntryAssistant, Turn: id, Blocks: []session.Block{{Type: session.BlockText, Text: strings.Repeat("**words** of an answer with `code`. ", 20) + "\n\n- one\n- two\n"}}},
			session.Entry{Kind: session.EntryEnd, Turn: id, ExitCode: &zero})
	}
	return all
}

func BenchmarkScreenOfALongSession(b *testing.B) {
	s := newStage(b)
	s.m.reducer.resume(longTranscript(3500))
	b.ResetTimer()
	for b.Loop() {
		s.m.View()
	}
}

func BenchmarkOpenALongSession(b *testing.B) {
	entries := longTranscript(3500)
	for b.Loop() {
		s := newStage(b)
		s.m.reducer.resume(entries)
		s.m.View()
	}
}
