package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A part of a file's name is enough to send it, and a part of a command's to run it.
func TestListsWhileTypingOnATerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, "turns: [{steps: [{say: Looked-at-it}]}]", nil, "chat")
	if err := os.MkdirAll(filepath.Join(project, "drawings"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "drawings", "site-plan.md"), []byte("# Plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.shows("/help")
	x.types("/")
	x.shows("(?s)/attach PATH.*/persona")
	x.types("sta\r")
	x.shows("the first message makes one")
	x.types("see @site")
	x.shows("drawings/site-plan.md")
	x.types("\t please\r")
	x.shows("(?s)Looked-at-it.* out") // what the turn used, at its end
	x.types("\x04")
	x.ends(ExitDone)
	records, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "transcript.jsonl"))
	if err != nil || len(records) != 1 {
		t.Fatalf("transcripts: %v, %v", records, err)
	}
	record, err := os.ReadFile(records[0])
	if err != nil || !strings.Contains(string(record), "see @drawings/site-plan.md please") || !strings.Contains(string(record), `"name":"site-plan.md"`) {
		t.Errorf("the file is not on record, %v:\n%s", err, record)
	}
}

// Modes, models and personas are picked from lists that say what each one means, and
// Shift-Tab goes to the next mode.
func TestPickersOnATerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", nil, "chat")
	x.shows("/help")
	x.types("/mode\r")
	x.shows("(?s)How much may the agent do.*ordinary files in its write scope")
	x.types("plan\r")
	x.shows("next turns run in mode plan: only reads")
	x.types("\x1b[Z")
	x.shows("dontAsk: nobody is asked")
	x.types("/persona\r")
	x.shows("(?s)Whom do the next turns go to.*Rolls information up")
	x.types("WORKING_I\r")
	x.shows("next turns go to WORKING_ITEMS")
	x.types("/model\r")
	x.shows("Which model do the next turns ask")
	x.shows("the usual one")
	x.types("\r")
	x.shows("next turns ask scripted")
	x.types("\x04")
	x.ends(ExitDone)
}

// What was typed is offered again by the next chat, without a key that was in it.
func TestTypedKeysAreNotKept(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Heard-it}]}]", []string{"OPENAI_API_KEY=not-a-real-key-0123"}, "chat", "--provider", "scripted")
	x.shows("/help")
	x.types("my key is not-a-real-key-0123\r")
	x.shows("(?s)Heard-it.* out")
	x.types("/quit\r")
	x.ends(ExitDone)
	y := x.another("chat", "--provider", "scripted")
	y.shows("/help")
	y.types("\x1b[A\x1b[A") // before /quit
	y.shows(`my key is \[redacted\]`)
	y.types("\x03\x03")
	y.ends(ExitDone)
}
