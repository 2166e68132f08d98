package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/skill"
)

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
