package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person on a real terminal sends, answers a question with one key, interrupts,
// and leaves; the terminal is theirs again, and they know how to go on. What draws
// the screen leaves out what is on it already, so single words are looked for.
func TestChatOnATerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, `
turns:
  - steps:
      - say: Writing-now
      - call: {name: write, input: {path: note.md, content: "a note\n"}}
      - say: Written-down
  - steps:
      - say: Waiting-long
      - wait: 10m
`, nil, "chat")
	x.shows("/help")
	x.types("write it\r")
	x.shows("Writing-now")
	x.shows("deny") // the question takes the keys
	if _, err := os.Stat(filepath.Join(project, "note.md")); err == nil {
		t.Error("the file was written before anybody allowed it")
	}
	x.types("y")
	x.shows("Written-down")
	if data, err := os.ReadFile(filepath.Join(project, "note.md")); err != nil || string(data) != "a note\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	x.types("and now wait\r")
	x.shows("Waiting-long")
	x.types("\x03")
	x.shows("interrupted")
	x.types("\x03\x03")
	x.ends(ExitDone)
	x.shows("belay chat --session sess_")
	if !strings.Contains(x.screen(), "\x1b[?1049l") {
		t.Errorf("the screen was not given back: %q", x.screen())
	}
}

// Leaving takes a turn along that runs in this process: it is interrupted, on
// record, before the program ends.
func TestLeavingInTheMiddleOfATurn(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, "turns: [{steps: [{say: Waiting-long}, {wait: 10m}]}]", []string{"NO_COLOR=1"}, "chat")
	x.shows("/help")
	x.types("wait\r")
	x.shows("Waiting-long")
	x.types("/quit\r")
	x.ends(ExitDone)
	if coloured := strings.Contains(x.screen(), "\x1b[34m"); coloured {
		t.Error("there are colours in spite of NO_COLOR")
	}
	logs, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "log", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs: %v, %v", logs, err)
	}
	data, err := os.ReadFile(logs[0])
	if err != nil || !strings.Contains(string(data), `"exitCode":130`) {
		t.Errorf("the log has no end of the turn, %v:\n%s", err, data)
	}
}
