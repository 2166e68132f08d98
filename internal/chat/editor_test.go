package chat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"belay/internal/fault"
	"belay/internal/render"

	"belay/internal/redact"
)

// The cursor never stands within a character, nothing of what is typed gets lost, and
// it takes as many keys to remove it as it has characters.
func TestTheEditorHoldsWhatIsTyped(t *testing.T) {
	t.Parallel()
	keys := rapid.SampledFrom([]tea.Key{
		{Code: tea.KeyLeft}, {Code: tea.KeyRight}, {Code: tea.KeyHome}, {Code: tea.KeyEnd}, {Code: tea.KeyUp}, {Code: tea.KeyDown},
		{Code: tea.KeyLeft, Mod: tea.ModAlt}, {Code: tea.KeyRight, Mod: tea.ModAlt},
	})
	texts := rapid.SampledFrom([]string{"a", "\t", "word ", "日", "é", "👩‍👩‍👧", "\n", "  ", "\ufffd"})
	rapid.Check(t, func(rt *rapid.T) {
		e := newEditor(&history{}, "", render.NewLook())
		e.wide = rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(rt, "wide")
		width := rapid.IntRange(8, 30).Draw(rt, "width")
		e.resize(width)
		typed := 0
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "type") {
				s := texts.Draw(rt, "text")
				e.insert(s)
				typed += len(s)
			} else {
				e.press(tea.KeyPressMsg(keys.Draw(rt, "key")))
			}
			before, all := e.before(), e.text()
			if len(all) != typed || !strings.HasPrefix(all, before) {
				rt.Fatalf("%q before the cursor in %q, %d bytes typed", before, all, typed)
			}
			if strings.HasSuffix(before, "\u200d") || strings.HasPrefix(all[len(before):], "\u200d") {
				rt.Fatalf("the cursor stands within a character, after %q", before)
			}
			lines, cursor := e.draw()
			if cursor.Y < 0 || cursor.Y >= len(lines) || len(lines) > maxEditorRows || cursor.X < promptCells {
				rt.Fatalf("the cursor is at %v of %d rows", cursor.Position, len(lines))
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > width {
					rt.Fatalf("a row of %d columns in %d", n, width)
				}
			}
		}
		e.set(e.text())
		for before := e.text(); before != ""; before = e.text() {
			if e.press(tea.KeyPressMsg{Code: tea.KeyBackspace}); len(e.text()) >= len(before) {
				rt.Fatalf("nothing is removed of %q", before)
			}
		}
	})
}

func TestEditing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.press("one two", "ctrl+w", "three", "ctrl+j", "four", "left", "left", "X")
	if got := s.m.editor.text(); got != "one three\nfoXur" {
		t.Errorf("typed %q", got)
	}
	s.send(tea.PasteMsg{Content: "a\r\nb\x1b[31m\tc"})
	if got := s.m.editor.text(); got != "one three\nfoXa\nb\ufffd[31m\tcur" {
		t.Errorf("pasted %q", got)
	}
	s.shows("  b␦[31m␉cur")
	if c := s.m.View().Cursor; c == nil || c.X != len("  b?[31m?c") {
		t.Errorf("the cursor is at %v", c)
	}
	s.fits()
	s.m.editor.set(`first\`)
	s.press("enter", "second", "enter")
	if got := s.engine.requests[0].Message; got != "first\nsecond" {
		t.Errorf("sent %q", got)
	}
}

func TestALongTextScrollsInTheEditor(t *testing.T) {
	t.Parallel()
	e := newEditor(&history{}, "", render.NewLook())
	e.resize(20)
	e.set(strings.Repeat("line\n", 30) + "last")
	lines, cursor := e.draw()
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
	if got := s.m.editor.text(); got != "one" {
		t.Errorf("the oldest is %q", got)
	}
	s.press("down", "down", "down")
	if got := s.m.editor.text(); got != "draft" {
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

func asItIs(s string) string { return s }

// A key that an earlier belay kept leaves the file when something is added to it.
func TestOldKeysLeaveTheHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	must(t, os.WriteFile(path, []byte("\"my key is not-a-real-key\"\n\"hello\"\n"), 0o600))
	s := idle(t, func(o *Options) { o.History, o.Redact = path, redact.New("not-a-real-key") })
	s.say("more")
	data, err := os.ReadFile(path)
	if want := "\"my key is [redacted]\"\n\"hello\"\n\"go\"\n\"more\"\n"; err != nil || string(data) != want {
		t.Errorf("%v: %s", err, data)
	}
}

// A chat that cannot keep what was typed says so, without the names of its own files.
func TestHistoryThatCannotBeKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "chat")
	s := idle(t, func(o *Options) { o.History = filepath.Join(dir, "history.jsonl") })
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.say("hello")
	s.shows("the next chat will not have what you typed: not a")
}

func TestHistoryIsSearched(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, text := range []string{"read the Plan", "write", "the plan again", "else"} {
		s.m.editor.past.add(text)
	}
	s.press("plan", "ctrl+r")
	s.shows("› the plan again")
	s.press("ctrl+r")
	s.shows("› read the Plan")
	s.press("ctrl+r")
	s.shows("› read the Plan")
	s.press("down", "down", "down", "down")
	s.shows("› plan")
	s.press("ctrl+c", "nothing of it", "ctrl+r")
	s.shows("› nothing of it")
}

// As in a shell, Ctrl-R comes first and what is looked for after it.
func TestHistoryIsSearchedWhileTyping(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, text := range []string{"read the Plan", "write", "the plan again", "else"} {
		s.m.editor.past.add(text)
	}
	s.press("ctrl+r")
	s.shows("search: ", "› say something")
	s.press("pl")
	s.shows("› the plan again", "search: pl (Ctrl-R")
	s.press("ctrl+r")
	s.shows("› read the Plan")
	s.press("z")
	s.shows("search: plz is in nothing that was typed before")
	s.press("backspace", "an")
	s.shows("› read the Plan", "search: plan (Ctrl-R")
	s.press("left", "X")
	s.shows("› read the PlaXn")
	s.lacks("search: ")
	s.press("ctrl+c", "ctrl+r", "writ", "enter")
	if got := s.engine.requests[0].Message; got != "write" {
		t.Errorf("sent %q", got)
	}
	s.lacks("search: ")
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
	if !h.add("new") || h.save("new", asItIs) != nil {
		t.Error("not remembered")
	}
	all, err := readHistory(path)
	if err != nil || len(all) != maxRemembered || all[len(all)-1] != "new" {
		t.Errorf("%d remembered, %v", len(all), err)
	}
}

// What is typed while the completions are looked for is not undone by them.
func TestTypingGoesOnDuringCompletion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "plan.md")
	s.press("@pl", "esc")
	_, cmd := s.m.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	s.press("ain")
	s.play(cmd)
	if got := s.m.editor.text(); got != "@plain" {
		t.Errorf("the text became %q", got)
	}
}

// Long pastes are a mark in the editor, which goes as one, and whole in the message.
func TestLongPastes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "named.md")
	lines := strings.Repeat("a line\t@named.md\n", 10_000)
	s.press("look at ")
	s.send(tea.PasteMsg{Content: lines})
	s.press(" please")
	s.shows("› look at [paste 1: 10000 lines, 166 KiB] please")
	s.send(tea.PasteMsg{Content: "short"})
	s.send(tea.PasteMsg{Content: strings.Repeat("x", 3000)})
	s.shows("2: 1 line, 2.9 KiB]")
	s.press("backspace")
	s.lacks("paste 2")
	s.send(tea.PasteMsg{Content: strings.Repeat("x", maxPasted)})
	s.shows("too long for a message")
	s.engine.startErr = fault.New(fault.MissingAPIKey, "there is no key")
	s.press("enter")
	s.shows("not sent", "[paste 1: 10001 lines")
	s.engine.startErr = nil
	s.press("enter")
	for i, r := range s.engine.requests {
		if want := "look at " + lines + " pleaseshort"; r.Message != want || r.Attachments != nil {
			t.Errorf("%d: %d bytes sent, want %d; attached %v", i, len(r.Message), len(want), r.Attachments)
		}
	}
	s.shows("a line    @named.md", "more lines (Ctrl-O)")
	if len(s.engine.requests) != 2 || s.m.editor.pasted != nil {
		t.Errorf("sent %d times, %d pastes kept", len(s.engine.requests), len(s.m.editor.pasted))
	}
	s.press("ctrl+o")
	s.lacks("(Ctrl-O)")
	s.fits()
}

// A terminal that does not say what is pasted types it line by line: so much of it
// waits for the turn, and the rest stays in the editor.
func TestPastedLineByLine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	for i := range 100 {
		s.say(fmt.Sprint("line ", i))
	}
	if n := len(s.engine.steers); n != maxWaiting {
		t.Errorf("%d messages were sent", n)
	}
	s.shows("20 messages wait already", "(80 times)")
	if got := s.m.editor.text(); !strings.HasPrefix(got, "line 20\nline 21\n") || !strings.HasSuffix(got, "line 99\n") {
		t.Errorf("the editor has %q", got)
	}
	s.fits()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The file of the history keeps the newest texts that fit, and one that is too large for a chat
// is begun anew: nothing of it makes a later chat fail.
func TestLargeHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	long := strings.Repeat("<", maxRememberedText-10) // in JSON as long as here
	var lines strings.Builder
	for i := range 600 {
		fmt.Fprintf(&lines, "\"%d %s\"\n", i, long)
	}
	must(t, os.WriteFile(path, []byte(lines.String()), 0o600))
	for _, text := range []string{"first", "second"} {
		h, err := openHistory(path)
		must(t, err)
		must(t, h.save(text, asItIs))
	}
	all, err := readHistory(path)
	must(t, err)
	if n := len(all); n < 200 || all[n-1] != "second" || all[n-2] != "first" || !strings.HasPrefix(all[n-3], "599 ") {
		t.Errorf("%d texts are kept, the last is %.20q", n, all[n-1])
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxHistoryFile {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	must(t, os.Truncate(path, maxHistoryRead+1))
	h, err := openHistory(path)
	must(t, err)
	must(t, h.save("anew", asItIs))
	if all, err := readHistory(path); err != nil || len(all) != 1 || all[0] != "anew" {
		t.Errorf("kept are %d texts, %v", len(all), err)
	}
}
