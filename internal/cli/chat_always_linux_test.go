package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "Always" shows the rule and the file, writes it there after Enter, and the next
// call of the same turn is not asked about. The rule holds in another chat as well.
func TestAlwaysOnATerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, `
turns:
  - steps:
      - call: {name: write, input: {path: note.md, content: "one\n"}}
      - call: {name: read, input: {path: note.md}}
      - call: {name: write, input: {path: note.md, content: "two\n"}}
      - call: {name: write, input: {path: .envrc, content: "three\n"}}
      - say: Written-down
`, []string{"COLUMNS=100"}, "chat")
	x.resizes(100, 30)
	file := filepath.Join(envOf(x, "XDG_CONFIG_HOME"), "belay", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# my settings\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds := func(path, want string) {
		t.Helper()
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v; want %q", path, data, err, want)
		}
	}
	x.shows("/help")
	x.types("write it\r")
	x.shows("shows the rule first")
	x.answers("a")
	x.shows(`write\(note\.md\)`)
	x.shows("config/belay/config.yaml")
	holds(file, "# my settings\n")
	x.types("\x1b[27u") // Escape, as the terminal tells it
	x.shows("deny and say why")
	x.types("a")
	x.shows("goes back")
	x.types("\r")
	x.shows("allowed from now on: write")
	// The next call is allowed; the one whose file runs by itself is not offered a rule.
	x.shows("(?s)asked about in every mode.*deny and say why") // the question takes the keys
	holds(filepath.Join(project, "note.md"), "two\n")
	x.answers("a")
	if !x.waits(func() bool {
		return strings.Contains(x.screen(), "no rule is offered")
	}) {
		t.Errorf("a file that runs by itself is offered a rule:\n%s", x.screen())
	}
	x.types("n")
	x.shows("(?s)Written-down.* out")
	x.types("\x04")
	x.ends(ExitDone)
	data, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(data), "# my settings\n") || !strings.Contains(string(data), "- write(note.md)") {
		t.Errorf("the file is %s, %v", data, err)
	}
	again := x.another("chat", "write it")
	again.shows(`(?s)\.envrc.*deny and say why`)
	again.answers("n")
	again.shows("(?s)Written-down.* out")
	again.types("\x04")
	again.ends(ExitDone)
}

// envOf is a variable of the program's environment.
func envOf(x *terminal, name string) string {
	for _, one := range x.cmd.Env {
		if value, ok := strings.CutPrefix(one, name+"="); ok {
			return value
		}
	}
	return ""
}
