package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A long message is written in the person's own editor, also while a turn runs. An empty
// file and an editor that fails leave the draft as it was, and nothing stays in the folder
// for temporary files.
func TestOwnEditorOnATerminal(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	editor := filepath.Join(place, "my editor")
	script := `#!/bin/sh
test "$1" = --wait || exit 7
if test -e "` + place + `/fails"; then exit 3; fi
if test -e "` + place + `/empties"; then : >"$2"; exit; fi
echo Editor-has-the-terminal
read answer
printf '%s and %s\n' "$(cat "$2")" "$answer" >"$2"
`
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	x, project := playOnTerminal(t, `
turns:
  - steps: [{say: Waiting-long}, {wait: 10m}]
`, []string{"EDITOR=false", `VISUAL='` + editor + `' --wait`, "TMPDIR=" + place}, "chat")
	mark := func(name string, there bool) {
		t.Helper()
		path := filepath.Join(place, name)
		var err error
		if there {
			err = os.WriteFile(path, nil, 0o600)
		} else {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	x.shows("/help")
	x.types("draft")
	mark("fails", true)
	x.types("\x07")
	x.shows("failed: exit status 3; what you")
	mark("fails", false)
	mark("empties", true)
	x.types("\x07")
	x.shows("the editor left nothing")
	mark("empties", false)
	x.types("\x07")
	x.shows("Editor-has-the-terminal")
	x.types("edited\n")
	x.shows("draft and edited")
	x.types("\r")
	x.shows("Waiting-long")
	x.types("\x07")
	x.shows("(?s)Editor-has-the-terminal.*Editor-has-the-terminal")
	x.types("steered\n")
	x.shows(" and steered")
	x.types("\x03")
	x.shows("interrupted")
	x.types("\x03\x03")
	x.ends(ExitDone)
	records, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "transcript.jsonl"))
	if err != nil || len(records) != 1 {
		t.Fatalf("transcripts: %v, %v", records, err)
	}
	if record, err := os.ReadFile(records[0]); err != nil || !strings.Contains(string(record), "draft and edited") {
		t.Errorf("the message is not on record, %v:\n%s", err, record)
	}
	if left, err := filepath.Glob(filepath.Join(place, "belay-message-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A Ctrl-C in the editor is not meant for the chat.
func TestInterruptInTheEditor(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", []string{"EDITOR=sh -c 'echo Editor-runs; sleep 60' sh"}, "chat")
	x.shows("/help")
	x.types("draft\x07")
	x.shows("Editor-runs")
	x.types("\x03")
	x.shows("the editor sh failed")
	x.types("\r")
	x.shows("(?s)Hello.* out") // the line that ends a turn
	x.types("\x04")
	x.ends(ExitDone)
}

// A custom command beside the settings puts its message into the editor, and Enter sends it.
func TestCustomCommandOnATerminal(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	folder := filepath.Join(config, "belay", "commands")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"check.md": "---\ndescription: compare a register\n---\nCompare $ARGUMENTS.\n", "undo.md": "Mine."} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x, _ := playOnTerminal(t, "turns: [{when: Compare DEL-01-01, steps: [{say: Compared-it}]}]", []string{"XDG_CONFIG_HOME=" + config}, "chat")
	x.shows("(?s)/undo is a command of the chat.*/help")
	x.types("/chec")
	x.shows("/check TEXT +compare a register")
	x.types("k DEL-01-01\r")
	x.shows("› Compare DEL-01-01")
	x.types("\r")
	x.shows("(?s)Compared-it.* out")
	x.types("\x04")
	x.ends(ExitDone)
}

// An editor that leaves the terminal raw, such as one that crashed, does not leave it so to the shell.
func TestEditorThatLeavesTheTerminalRaw(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", []string{"EDITOR=sh -c 'stty raw -echo; echo written >\"$1\"' sh"}, "chat")
	x.shows("/help")
	x.types("draft\x07")
	x.shows("written")
	x.types("\x03\x04")
	x.ends(ExitDone)
	raw, err := x.master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if set, gerr := unix.IoctlGetTermios(int(fd), unix.TCGETS); gerr != nil || set.Lflag&unix.ICANON == 0 || set.Lflag&unix.ECHO == 0 {
			t.Errorf("the terminal is raw: %+v, %v", set, gerr)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
