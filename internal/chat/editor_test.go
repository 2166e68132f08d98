package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The cursor never stands within a character, and what is typed is what is there.
func TestTheFieldHoldsWhatIsTyped(t *testing.T) {
	t.Parallel()
	keys := rapid.SampledFrom([]string{"left", "right", "home", "end", "alt+left", "alt+right", "up", "down"})
	texts := rapid.SampledFrom([]string{"a", "word ", "日", "é", "👩‍👩‍👧", "\n", "  "})
	rapid.Check(t, func(rt *rapid.T) {
		f := field{wide: rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(rt, "wide")}
		width := rapid.IntRange(2, 20).Draw(rt, "width")
		typed := 0
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "type") {
				s := texts.Draw(rt, "text")
				f.insert(s)
				typed += len(s)
			} else {
				switch k := keys.Draw(rt, "key"); k {
				case "up", "down":
					f.vertical(map[string]int{"up": -1, "down": 1}[k], width)
				case "left":
					f.at = f.prev()
				case "right":
					f.at = f.next()
				case "home":
					f.at = f.home()
				case "end":
					f.at = f.end()
				case "alt+left":
					f.at = f.wordLeft()
				case "alt+right":
					f.at = f.wordRight()
				}
			}
			if len(f.text) != typed || f.at < 0 || f.at > len(f.text) {
				rt.Fatalf("%d bytes, cursor at %d, %d typed", len(f.text), f.at, typed)
			}
			rows := f.rows(width)
			line, column := f.cursor(rows)
			if line < 0 || line >= len(rows) || column > max(width, widest) {
				rt.Fatalf("the cursor is in column %d of row %d of %d", column, line, len(rows))
			}
			for _, r := range rows {
				one, _ := ansi.FirstGraphemeCluster(f.text[r.from:r.to], f.wide) // which may be wider than the window
				if n := f.wide.StringWidth(f.text[r.from:r.to]); n > width && len(one) < r.to-r.from {
					rt.Fatalf("a row of %d columns in %d", n, width)
				}
			}
		}
		for f.at = len(f.text); f.at > 0; { // character by character to the beginning
			from := f.prev()
			if from >= f.at {
				rt.Fatal("the cursor does not move")
			}
			f.remove(from, f.at)
		}
		if f.text != "" {
			rt.Fatalf("%q is left", f.text)
		}
	})
}

func TestEditing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.press("one two", "ctrl+w", "three", "ctrl+j", "four", "left", "left", "X")
	if got := s.m.editor.text; got != "one three\nfoXur" {
		t.Errorf("typed %q", got)
	}
	s.send(tea.PasteMsg{Content: "a\r\nb\x1b[31m\tc"})
	if got := s.m.editor.text; got != "one three\nfoXa\nb\ufffd[31m    cur" {
		t.Errorf("pasted %q", got)
	}
	s.send(tea.PasteMsg{Content: strings.Repeat("x", maxTyped)})
	s.shows("too long to be typed")
	s.fits()
	s.m.editor.set(`first\`)
	s.press("enter", "second", "enter")
	if got := s.engine.requests[0].Message; got != "first\nsecond" {
		t.Errorf("sent %q", got)
	}
}

func TestALongTextScrollsInTheEditor(t *testing.T) {
	t.Parallel()
	e := newEditor(&history{}, "")
	e.width = 20
	e.set(strings.Repeat("line\n", 30) + "last")
	lines, cursor := e.draw(newLook())
	if len(lines) != maxEditorRows || cursor.Y != maxEditorRows-1 || !strings.Contains(ansi.Strip(lines[cursor.Y]), "last") {
		t.Errorf("%d lines, cursor %+v", len(lines), cursor.Position)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chat", "history.jsonl")
	with := func(o *Options) { o.History = path }
	s := newStage(t, with)
	s.say("one")
	s.log(exit(0))
	s.say("two\nlines")
	other := newStage(t, with) // another chat at the same time
	other.say("three")
	s.press("draft", "up", "up", "up")
	if got := s.m.editor.text; got != "one" {
		t.Errorf("the oldest is %q", got)
	}
	s.press("down", "down", "down")
	if got := s.m.editor.text; got != "draft" {
		t.Errorf("the draft became %q", got)
	}
	all, err := readHistory(path)
	if diff := cmp.Diff([]string{"one", "two\nlines", "three"}, all); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the history is %v, %v", info.Mode(), err)
	}
}

func TestHistoryIsCapped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	lines := strings.Repeat("\"old\"\n", 2*maxRemembered) + "damaged\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if h.add(strings.Repeat("x", maxRememberedText+1)) || h.add("  ") || h.add("old") {
		t.Error("what is too long, blank or the same was remembered")
	}
	if !h.add("new") || h.save("new") != nil {
		t.Error("not remembered")
	}
	all, err := readHistory(path)
	if err != nil || len(all) != maxRemembered || all[len(all)-1] != "new" {
		t.Errorf("%d remembered, %v", len(all), err)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"docs/plan.md", "docs/plans.md", "docs/x y.md", "data.csv", ".belay/log", ".hidden"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &paths{folder: dir}
	for before, want := range map[string][]string{
		"":                  nil,
		"/mo":               {"/mode ", "/model "},
		"/mode a":           {"/mode acceptEdits"},
		"/attach d":         {"/attach data.csv", "/attach docs/"},
		"/attach docs/pl":   {"/attach docs/plan.md", "/attach docs/plans.md"},
		"see @docs/plans":   {"see @docs/plans.md"},
		"see @docs/x":       {`see @"docs/x y.md`},
		`see @"docs/x y`:    {`see @"docs/x y.md`},
		"me@docs":           nil,
		"see @.":            {"see @.hidden"},
		"see @nothing/here": nil,
		"see @docs and":     nil,
	} {
		var got []string
		stem, offers := completions(before, p)
		for _, o := range offers {
			got = append(got, stem+o)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", before, diff)
		}
	}
	s := newStage(t, func(o *Options) { o.Folder = dir })
	s.press("see @docs/p", "tab")
	s.shows("› see @docs/plan", "docs/plan.md  docs/plans.md")
	s.press("tab", "tab")
	s.shows("› see @docs/plans.md")
	s.press(" now", "enter")
	if diff := cmp.Diff([]string{filepath.Join(dir, "docs", "plans.md")}, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
}
