package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A paste of megabytes is refused with what to do instead, and the chat answers to keys
// after it.
func TestHugePasteOnATerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", nil, "chat")
	x.shows("/help")
	x.types("\x1b[200~" + strings.Repeat("a line of a very long text, with ünïcode in it\n", 110_000) + "\x1b[201~")
	x.shows("too long for a message")
	x.types("typed-afterwards")
	x.shows("typed-afterwards")
	x.types("\x03\x03")
	x.ends(ExitDone)
}

// The path of an image that is dropped on the terminal, and the image on the clipboard, go
// with the next message; nothing of the clipboard stays behind.
func TestPastedImagesOnATerminal(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	picture, err := filepath.Abs("../../examples/project/drawings/site-plan.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "xclip"), []byte("#!/bin/sh\ncat '"+picture+"'\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	x, project := playOnTerminal(t, "turns: [{steps: [{say: Looked-at-it}]}]",
		[]string{"DISPLAY=:7", "TMPDIR=" + place, "PATH=" + place + ":" + os.Getenv("PATH")}, "chat")
	x.shows("/help")
	x.types("\x1b[200~" + picture + "\x1b[201~")
	x.shows(`site-plan\.png`)
	x.types("\x16")
	x.shows(`clipboard-1\.png`)
	x.types("look\r")
	x.shows("(?s)Looked-at-it.* out")
	x.types("\x04")
	x.ends(ExitDone)
	records, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "transcript.jsonl"))
	if err != nil || len(records) != 1 {
		t.Fatalf("transcripts: %v, %v", records, err)
	}
	record, err := os.ReadFile(records[0])
	if err != nil || !strings.Contains(string(record), `"name":"site-plan.png"`) || !strings.Contains(string(record), `"name":"clipboard-1.png"`) {
		t.Errorf("the images are not on record, %v:\n%s", err, record)
	}
	if left, err := filepath.Glob(filepath.Join(place, "belay-clipboard-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
