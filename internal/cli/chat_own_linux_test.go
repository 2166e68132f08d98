package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The person's own commands run outside the sandbox in the project, also while a turn
// runs. Ctrl-C stops them first, and leaving ends them. The model reads their output with
// the next message.
func TestOwnCommandsOnATerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, "turns: [{steps: [{say: Answered-it}]}, {steps: [{say: Waiting-long}, {wait: 10m}]}]", []string{"MINE=my-word"}, "chat")
	x.shows("/help")
	x.types("!echo $MINE > ../mine.txt; pwd; exit 4")
	x.shows("as you, outside the sandbox")
	x.types("\r")
	x.shows("(?s)exit code 4.*output of ")
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(project), "mine.txt")); err != nil || string(data) != "my-word\n" {
		t.Errorf("the command wrote %q, %v", data, err)
	}
	x.types("what went wrong?\r")
	x.shows("(?s)Answered-it.* out") // the line that ends a turn
	x.types("go on\r")
	x.shows("Waiting-long")
	x.types("!echo Begun-it; sleep 300 & sleep 300\r")
	x.shows("(?s)Begun-it.*Ctrl-C stops it")
	x.types("\x03")
	x.shows("stopped")
	x.types("!echo $$ > ../pid; exec sleep 300\r")
	pid := filepath.Join(filepath.Dir(project), "pid")
	var number string
	if !x.waits(func() bool {
		data, _ := os.ReadFile(pid)
		number = strings.TrimSpace(string(data))
		return number != ""
	}) {
		t.Fatal("the command does not begin")
	}
	x.types("/quit\r")
	x.ends(ExitDone)
	if !x.waits(func() bool {
		_, err := os.Stat("/proc/" + number)
		return err != nil
	}) {
		t.Errorf("process %s outlives the chat", number)
	}
	records, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "transcript.jsonl"))
	if err != nil || len(records) != 1 {
		t.Fatalf("transcripts: %v, %v", records, err)
	}
	if record, err := os.ReadFile(records[0]); err != nil || !strings.Contains(string(record), `what went wrong?\n\nI ran a command in my own shell (exit code 4)`) || !strings.Contains(string(record), `\n`+project) {
		t.Errorf("the output is not on record, %v:\n%s", err, record)
	}
}

// A command that writes without end neither fills the memory nor holds up the chat.
func TestOwnCommandWithoutEnd(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", nil, "chat")
	x.shows("/help")
	x.types("!yes\r")
	x.shows("Ctrl-C stops it")
	x.types("Q")
	x.shows("Q") // one key: longer texts come in pieces
	x.types("\x03")
	x.shows("stopped")
	x.types("\x03\x03\x03")
	x.ends(ExitDone)
}

// The terminal is the chat's. A command that wants it, such as one that asks for a password,
// fails at once.
func TestOwnCommandHasNoTerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Hello}]}]", nil, "chat")
	x.shows("/help")
	x.types("!read line </dev/tty; echo it-ended-$?\r")
	x.shows("(?m)^ *it-ended-[1-9]")
	x.types("!echo over-all >/dev/tty || echo it-failed\r")
	x.shows("(?m)^ *it-failed")
	x.types("/quit\r")
	x.ends(ExitDone)
}
