package cli

import (
	"strings"
	"testing"
)

// A question in a window without focus rings the terminal and notifies the desktop;
// --no-notify does not even ask the terminal for its focus.
func TestANotificationOnATerminal(t *testing.T) {
	t.Parallel()
	const script = "turns: [{steps: [{call: {name: write, input: {path: note.md, content: x}}}, {say: Written-down}]}]"
	x, _ := playOnTerminal(t, script, nil, "chat")
	x.shows("/help")
	if !strings.Contains(x.screen(), "\x1b[?1004h") {
		t.Errorf("the terminal is not asked for its focus: %q", x.screen())
	}
	x.types("\x1b[O")
	x.types("write it\r")
	x.shows("\x1b\\]9;belay: a question waits")
	x.types("\x1b[I")
	x.shows("deny and say why")
	x.answers("y")
	x.shows("(?s)Written-down.* out") // what the turn used, at its end
	x.types("\x04")
	x.ends(ExitDone)
	quiet := x.another("chat", "--no-notify")
	quiet.shows("/help")
	quiet.types("\x04")
	quiet.ends(ExitDone)
	if strings.Contains(quiet.screen(), "\x1b[?1004h") {
		t.Errorf("the terminal is asked for its focus: %q", quiet.screen())
	}
}
