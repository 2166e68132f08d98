package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/skill"
)

// What goes with a command may have several lines, typed or pasted. Other lines that begin with
// a slash are a message then.
func TestLinesAfterACommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "own.md"), []byte("Look at $ARGUMENTS now"), 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"/own one\ntwo":        "Look at one\ntwo now",
		"/review one\ntwo":     "Use the skill review.\n\none\ntwo",
		"/review\none\ntwo":    "Use the skill review.\n\none\ntwo",
		"/compact one\ntwo":    "one\ntwo",
		"/summarize one\ntwo":  "one\ntwo",
		"/quit one\ntwo":       "/quit one\ntwo",
		"/etc or\n/usr, which": "/etc or\n/usr, which",
	} {
		s := idle(t, func(o *Options) {
			o.Commands = folder
			o.Skills = func(string) skill.Catalog {
				return skill.Catalog{Skills: []skill.Skill{{Name: "review", Description: "d"}}}
			}
		})
		s.send(tea.PasteMsg{Content: typed})
		s.press("enter")
		got := s.m.editor.take()
		if got == "" {
			got = s.engine.requests[1].Message
		}
		if got != want {
			t.Errorf("%q says %q", typed, got)
		}
	}
}

// A long paste that goes with a command is sent as it is, not as the mark that stands for it on
// the screen. What it names is no file of the message.
func TestALongPasteAfterACommand(t *testing.T) {
	t.Parallel()
	pasted := strings.Repeat("the important line of @a.md\n", 40)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "own.md"), []byte("Look at this"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]func(*stage) string{
		"review":  func(s *stage) string { return s.engine.requests[1].Message },
		"compact": func(s *stage) string { return s.engine.requests[1].Message },
		"init":    func(s *stage) string { return s.m.editor.take() },
		"own":     func(s *stage) string { return s.m.editor.take() },
	} {
		s := idle(t, func(o *Options) {
			o.Commands = folder
			o.Skills = func(string) skill.Catalog {
				return skill.Catalog{Skills: []skill.Skill{{Name: "review", Description: "d"}}}
			}
		})
		write(t, s.m.o.Folder, "a.md")
		s.press("/" + name + " ")
		s.send(tea.PasteMsg{Content: pasted})
		s.press("enter")
		text := last(s)
		if !strings.Contains(text, strings.TrimSpace(pasted)) || strings.Contains(text, "[paste") {
			t.Errorf("/%s says %q", name, text)
		}
		for _, r := range s.engine.requests {
			if len(r.Attachments) > 0 {
				t.Errorf("/%s attaches %v", name, r.Attachments)
			}
		}
	}
}
