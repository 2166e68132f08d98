package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A paste that is the path of an image attaches the image, however the terminal writes it.
func TestPastedImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b c.jpeg", "d.txt"} {
		write(t, dir, name)
	}
	a, b := filepath.ToSlash(filepath.Join(dir, "a.png")), filepath.ToSlash(filepath.Join(dir, "b c.jpeg"))
	if strings.Contains(dir, `\`) {
		t.Skip("the paths are those of Unix")
	}
	for text, want := range map[string][]string{
		a:                                {a},
		a + "\n":                         {a},
		"'" + b + "'":                    {b},
		strings.ReplaceAll(b, " ", `\ `): {b},
		"file://" + filepath.Dir(a) + "/b%20c.jpeg": {b},
		a + "\n" + b:                              {a, b},
		a + "\nand a word":                        nil,
		filepath.Join(dir, "d.txt"):               nil,
		filepath.Join(dir, "none.png"):            nil,
		"a.png":                                   nil,
		"look at " + a:                            nil,
		"file://example.com/a.png":                nil,
		strings.Repeat(a+"\n", maxPastedImages+1): nil,
	} {
		if got := pastedImages(text, newPaths(dir)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	s := newStage(t)
	s.send(tea.PasteMsg{Content: a})
	s.shows("+ ", "a.png")
	s.lacks("› /")
	s.press("/attach ")
	s.send(tea.PasteMsg{Content: a})
	if got := s.m.editor.text(); got != "/attach "+a {
		t.Errorf("the editor has %q", got)
	}
}

// An image on the clipboard is attached; what else may be there is said.
func TestClipboardImage(t *testing.T) {
	dir := t.TempDir()
	if os.PathSeparator != '/' {
		t.Skip("the programs are scripts")
	}
	tool := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "xclip"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("TMPDIR", t.TempDir())
	patience := time.Minute
	paste := func(s *stage) {
		s.m.clipboard.patience = patience
		s.send(tea.KeyPressMsg{Code: 'v', Mod: tea.ModCtrl})
	}
	s := newStage(t)
	paste(s)
	s.shows("no program reads images from the clipboard")
	s = newStage(t, func(o *Options) { o.Env = []string{"DISPLAY=:0"} })
	tool(`printf '\211PNG\r\n\032\nrest'`)
	paste(s)
	s.shows("clipboard-1.png")
	if data, err := os.ReadFile(s.m.outbox.attached[0]); err != nil || !strings.HasSuffix(string(data), "rest") {
		t.Errorf("%q, %v", data, err)
	}
	for _, script := range []string{`echo some text`, `exit 1`, `:`} {
		tool(script)
		s = newStage(t, func(o *Options) { o.Env = []string{"DISPLAY=:0"} })
		paste(s)
		s.shows("there is no image on the clipboard")
	}
	tool(`printf '\211PNG\r\n\032\n'; head -c 40000000 /dev/zero`)
	s = newStage(t, func(o *Options) { o.Env = []string{"DISPLAY=:0"} })
	paste(s)
	s.shows("is larger than")
	tool(`exec sleep 600`)
	s = newStage(t, func(o *Options) { o.Env = []string{"DISPLAY=:0"} })
	patience = 10 * time.Millisecond
	paste(s)
	s.shows("xclip did not answer in")
}
