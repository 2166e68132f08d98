package chat

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/turn"
)

// A command of the person runs in their shell, and its output goes with the next message.
func TestOwnCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	s := newStage(t, func(o *Options) { o.Env = []string{"PATH=/usr/bin:/bin", "WORD=mine"} })
	s.press(`!echo "$WORD"; echo '`, "`", "`", "`", `'; exit 3`)
	s.shows("! Enter runs it as you")
	s.press("enter")
	s.shows("! echo \"$WORD\"", "  mine", "exit code 3", "+ output of !echo")
	s.say("why?")
	command := "$ echo \"$WORD\"; echo '```'; exit 3"
	want := "why?\n\nI ran a command in my own shell (exit code 3):\n\n````\n" + command + "\nmine\n```\n````"
	s.sent(turn.Request{SessionID: "sess_1", Message: want})
	s.lacks("+ output of")
}

// What waits can be dropped, and is bounded.
func TestOwnOutputsThatWait(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	s := newStage(t)
	s.say("!true")
	s.shows("+ output of !true (/drop ! leaves it out)")
	s.say("/drop !")
	s.lacks("+ output of")
	for range maxOwnWaiting + 1 {
		s.say("!true")
	}
	s.shows("only the last 8 outputs go")
	s.say("/drop")
	s.say("hello")
	s.sent(turn.Request{SessionID: "sess_1", Message: "hello"})
}

// An output without end is cut where it is kept, shown and sent.
func TestOwnOutputIsBounded(t *testing.T) {
	t.Parallel()
	c := &ownCard{command: "yes", done: true}
	for range 100 {
		for range 64 {
			if n, err := c.output.Write([]byte(strings.Repeat("y\n", 512) + "\x1b]0;title\a\xff")); n != 1024+11 || err != nil {
				t.Fatal(n, err)
			}
		}
		c.refresh()
	}
	if n := len(c.live.text); n > 2*keptLive {
		t.Errorf("%d bytes are kept", n)
	}
	words := c.words()
	if len(words) > maxOwnOutput+200 || !strings.Contains(words, "only the end of its output") || strings.Contains(words, "\x1b") {
		t.Errorf("%d bytes are sent: %.200q", len(words), words)
	}
}

// A long paste that is not on the screen is not run.
func TestPasteIsNotRun(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.press("!")
	s.send(tea.PasteMsg{Content: strings.Repeat("true\n", 100)})
	s.press("enter")
	s.shows("a long paste is not run", "[paste 1: 100 lines")
}

// A letter that comes in two parts is one letter, on the screen and for the model.
func TestOwnOutputInParts(t *testing.T) {
	t.Parallel()
	c := &ownCard{command: "slow", done: true}
	for _, part := range []string{"caf\xc3", "\xa9\n"} {
		if _, err := c.output.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
		c.refresh()
	}
	if words := c.words(); !strings.Contains(words, "café") {
		t.Errorf("the model reads %q", words)
	}
}
