package chat

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/event"
)

// A light background gets darker colours, and what is on the screen is drawn anew.
func TestLightBackground(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(delta("`code`"), event.Draft{Type: event.TurnWarning, Data: event.Warning{Message: "mind this"}})
	dark := s.m.View().Content
	s.send(tea.BackgroundColorMsg{Color: color.Black})
	if s.m.View().Content != dark {
		t.Error("a dark background changes the colours")
	}
	s.send(tea.BackgroundColorMsg{Color: color.White})
	light := s.m.View().Content
	if light == dark || !strings.Contains(light, "38;5;94m") {
		t.Errorf("a light background changes nothing:\n%q", light)
	}
	s.fits()
}

// The chat is usable in 20 columns: no line is wider, and the editor and the keys of a
// question are there.
func TestTwentyColumns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.send(tea.WindowSizeMsg{Width: 20, Height: 20})
	s.begun()
	s.log(delta("An answer with a `word` and\n\n```go\nfunc main() { return 1 }\n```\n"))
	s.log(question("d")...)
	s.pass(quiet)
	s.fits()
	s.shows("rm -rf docs", "y")
}

// A terminal without UTF-8 gets ASCII alone, and lines of the same width.
func TestWithoutUTF8(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"LANG=en_GB.UTF-8"}, false},
		{[]string{"LANG=C"}, true},
		{[]string{"LANG=en_GB.UTF-8", "LC_ALL=POSIX"}, true},
		{[]string{"LANG=C", "LC_ALL=C.utf8"}, false},
		{[]string{"LANG=de_DE.ISO-8859-1", "LC_ALL="}, true},
	} {
		if got := withoutUTF8(c.env); got != c.want {
			t.Errorf("%q: %v", c.env, got)
		}
	}
	s := newStage(t, func(o *Options) { o.Env = []string{"LANG=C"} })
	s.begun()
	s.log(delta("größer — 日付 naïve"))
	s.log(question("d")...)
	s.fits()
	screen := s.m.View().Content
	if i := strings.IndexFunc(screen, func(r rune) bool { return r >= 0x80 }); i >= 0 {
		t.Errorf("%q is not ASCII", screen[i:min(len(screen), i+20)])
	}
	s.shows("gr??er", "????", "na?ve", "rm -rf docs")
}
