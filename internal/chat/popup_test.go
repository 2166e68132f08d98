package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A slash lists the commands with a line for each; letters narrow the list down, and
// Enter runs the picked one.
func TestCommandsAreListedWhileTyping(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.press("/")
	s.shows("› /attach PATH", "send a file with the next message", "/undo", "… ")
	s.press("un")
	s.shows("› /undo", "show what the last turn changed")
	s.lacks("/attach")
	s.press("esc")
	s.lacks("show what the last turn")
	s.press("ctrl+c", "/st", "enter")
	s.shows("none yet; the first message makes one") // /status
	s.press("/mo", "down", "tab")
	if got := s.m.editor.text(); got != "/model " {
		t.Errorf("Tab put in %q", got)
	}
	s.press("ctrl+c", "/mode ac", "enter")
	if s.m.o.Opts.Mode != "acceptEdits" {
		t.Errorf("the mode is %q", s.m.o.Opts.Mode)
	}
	s.press("/resu", "tab")
	if got := s.m.editor.text(); got != "/session " {
		t.Errorf("another name became %q", got)
	}
	s.press("ctrl+c", "/etc/hosts")
	s.lacks("Tab puts it in")
	s.press("ctrl+c", "/q")
	s.fits()
	s.press("enter")
	if !s.left {
		t.Error("/q does not leave")
	}
}

// A part of a name finds the file wherever it lies. Enter puts it in, and sends when it
// is there.
func TestFilesAreListedWhileTyping(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "drawings/site-plan.png", "notes/opposite.md", ".git/site", ".belay/site", "brief.pdf", "a b/site.md")
	s.press("see @site")
	s.shows("› a b/site.md", "  drawings/site-plan.png", "  notes/opposite.md")
	s.lacks(".git")
	s.press("-")
	s.shows("› drawings/site-plan.png")
	s.press("enter")
	s.shows("› see @drawings/site-plan.png")
	s.lacks("Tab puts it in")
	if len(s.engine.requests) != 0 {
		t.Fatal("Enter sent what it only put in")
	}
	s.press(" and @sm", "tab")
	s.press("ctrl+w", "@asm", "down", "up", "tab")
	s.shows(`› see @drawings/site-plan.png and @"a b/site.md"`)
	s.press("enter")
	same(t, "attached", []string{filepath.Join(s.m.o.Folder, "drawings", "site-plan.png"), filepath.Join(s.m.o.Folder, "a b", "site.md")}, s.engine.requests[0].Attachments)
	s.press("@brief.pdf", "enter") // whole names are sent at once
	if n := len(s.engine.requests) + len(s.m.outbox.early); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
	s.press("@nobody")
	s.lacks("Tab puts it in")
}

// A paste and a recalled text open no list.
func TestNothingIsListedUnasked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write(t, s.m.o.Folder, "plan.md")
	s.m.editor.past.add("see @pl")
	s.send(tea.PasteMsg{Content: "@pl"})
	s.lacks("plan.md")
	s.press("ctrl+c", "up")
	s.lacks("plan.md")
	s.press("esc", "tab")
	s.shows("@plan.md")
}

// In a project of 10,000 deliverables a key is never held up, and the names are there
// within a tenth of a second once they are read.
func TestFilesOfAHugeProject(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes 30,000 files")
	}
	dir := t.TempDir()
	for p := range 20 {
		for d := range 500 {
			at := filepath.Join(dir, fmt.Sprintf("PKG-%02d_Works", p), "1_Working", fmt.Sprintf("DEL-%02d-%03d_Part %d, of works", p, d, d))
			if err := os.MkdirAll(at, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"_STATUS.md", "Datasheet.md"} {
				if err := os.WriteFile(filepath.Join(at, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	write(t, dir, "drawings/site-plan.png")
	s := newStage(t, func(o *Options) { o.Folder = dir })
	began := time.Now()
	var jobs []tea.Cmd
	for _, r := range "@siteplan" {
		_, cmd := s.m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		s.m.View()
		jobs = append(jobs, cmd)
	}
	keys := time.Since(began)
	for _, cmd := range jobs {
		s.play(cmd)
	}
	s.shows("drawings/site-plan.png")
	s.press("ctrl+c")
	slowest := time.Duration(0)
	for _, query := range []string{"s", "data", "del-19-499", "PKG-07 part 3", "zzz"} {
		began := time.Now()
		rank(s.m.editor.paths.names.all, strings.ToLower(query), maxOffers)
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("%d names; 9 keys took %v, the slowest search %v", len(s.m.editor.paths.names.all), keys, slowest)
	if keys > time.Minute || slowest > time.Minute { // milliseconds, where nothing else runs
		t.Errorf("9 keys took %v, the slowest search %v", keys, slowest)
	}
}

// A picker begins where one is, so that Enter alone changes nothing, and with the first of the
// rows that what is typed leaves.
func TestPickerBeginsWhereOneIs(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"": "plan", "accept": "acceptEdits"} {
		s := idle(t, func(o *Options) { o.Opts.Mode = "plan" })
		s.say("/mode plan")
		s.say("/mode")
		if typed != "" {
			s.press(typed)
		}
		s.press("enter")
		if got := s.m.o.Opts.Mode; got != want {
			t.Errorf("after %q the mode is %s", typed, got)
		}
	}
}
