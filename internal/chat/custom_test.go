package chat

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/turn"
)

// custom writes a file into the folder of custom commands.
func custom(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// customStage is a chat of somebody who has these custom commands.
func customStage(t *testing.T, files map[string]string) (*stage, string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		custom(t, folder, name, text)
	}
	return newStage(t, func(o *Options) { o.Commands = folder }), folder
}

// A custom command is listed, and puts its text into the editor. The person sends it.
func TestCustomCommand(t *testing.T) {
	t.Parallel()
	s, folder := customStage(t, map[string]string{
		"check.md":  "---\ndescription: compare a register with its documents\n---\n\nCompare $ARGUMENTS.\nChange nothing.\n",
		"notes.txt": "no command",
		"tidy.md":   "# Tidy the folder\n\nTidy it.",
	})
	s.send(tea.WindowSizeMsg{Width: 100, Height: 60})
	s.press("/")
	s.shows("… 12 more")
	s.press("ch")
	s.shows("/check TEXT", "compare a register with its documents")
	s.press("eck DEL-01-01", "enter")
	s.shows("› Compare DEL-01-01.", "Change nothing.")
	s.sent()
	s.press("enter")
	s.sent(turn.Request{SessionID: "sess_1", Message: "Compare DEL-01-01.\nChange nothing."})
	s.say("/help")
	s.shows("/check TEXT", "/tidy", "Tidy the folder")
	s.say("/chek")
	s.shows("did you mean /check?")

	custom(t, folder, "tidy.md", "Tidy $5 of it.") // as the file has it now
	s.say("/tidy today")
	s.shows("› Tidy $5 of it.", "today")
	if err := os.Remove(filepath.Join(folder, "tidy.md")); err != nil {
		t.Fatal(err)
	}
	s.press("ctrl+c")
	s.say("/tidy")
	s.shows("a custom command cannot be read")
}

// The chat says why a file is no custom command, and the others work.
func TestBadCustomCommands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text, want string }{
		"a command of the chat": {"undo.md", "x", "/undo is a command of the chat; rename the file"},
		"an alias":              {"clear.md", "x", "/clear is a command of the chat; rename the file"},
		"a name":                {"Größe 1.md", "x", "its name must have small letters"},
		"an escape in the name": {"a\x1b[2J.md", "x", "its name must have small letters"},
		"no text":               {"none.md", "---\ndescription: x\n---\n \n", "it has no text"},
		"no YAML":               {"yaml.md", "---\n\t{\n---\ntext", "is not YAML"},
		"another kind of value": {"list.md", "---\ndescription: [a, b]\n---\ntext", "is not YAML"},
		"no UTF-8":              {"latin.md", "gr\xf6\xdfer", "it is not UTF-8"},
		"too large":             {"large.md", strings.Repeat("x", maxCustomText+1), "it is larger than 32 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(tt.file, "\x1b") {
				t.Skip("no file has such a name there")
			}
			folder := t.TempDir()
			custom(t, folder, "fine.md", "Fine.")
			custom(t, folder, tt.file, tt.text)
			all, problems := customCommands(folder)
			if len(all) != 1 || len(problems) != 1 || !strings.Contains(problems[0], tt.want) || strings.ContainsAny(problems[0], "\x1b\n") {
				t.Errorf("%d commands, %q", len(all), problems)
			}
		})
	}
	if all, problems := customCommands(filepath.Join(t.TempDir(), "none")); all != nil || problems != nil {
		t.Errorf("no folder has %v, %v", all, problems)
	}
	file := filepath.Join(t.TempDir(), "commands")
	custom(t, filepath.Dir(file), "commands", "no folder")
	if all, problems := customCommands(file); all != nil || len(problems) != 1 {
		t.Errorf("a file has %v, %v", all, problems)
	}
}

// Thousands of files are a mistake.
func TestTooManyCustomCommands(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i := range maxCustom + 5 {
		custom(t, folder, "c"+strings.Repeat("x", i%30)+string(rune('a'+i/30))+".md", "Say it.")
	}
	if all, problems := customCommands(folder); len(all) != maxCustom || len(problems) != 1 || !strings.Contains(problems[0], "more than 100") {
		t.Errorf("%d commands, %q", len(all), problems)
	}
}
