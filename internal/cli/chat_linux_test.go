package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"belay/internal/session"
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
	x.answers("y")
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

// A terminal that closes hangs up more than once, by way of its shell and by the system.
// The turn is interrupted, on record, all the same.
func TestATerminalThatCloses(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, "turns: [{steps: [{say: Waiting-long}, {wait: 10m}]}]", nil, "chat")
	x.shows("/help")
	x.types("wait\r")
	x.shows("Waiting-long")
	go func() {
		for x.cmd.Process.Signal(syscall.SIGHUP) == nil { // until it has ended
			time.Sleep(time.Millisecond)
		}
	}()
	x.ends(ExitInterrupted)
	logs, err := filepath.Glob(filepath.Join(project, ".belay", "sessions", "*", "log", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs: %v, %v", logs, err)
	}
	data, err := os.ReadFile(logs[0])
	if err != nil || !strings.Contains(string(data), `"exitCode":130`) {
		t.Errorf("the log has no end of the turn, %v:\n%s", err, data)
	}
}

// A chat that was killed while a question was open asks it again, and the turn goes
// on with the answer.
func TestKilledInMidDecision(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, `
turns:
  - steps:
      - call: {name: write, input: {path: note.md, content: "a note\n"}}
      - say: Written-down
`, nil, "chat")
	x.shows("/help")
	x.types("write it\r")
	x.shows("deny")
	if err := x.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = x.cmd.Wait() // it was killed
	again := x.another("chat", "--continue")
	again.shows("a call waited for a decision")
	again.shows("deny")
	again.answers("y")
	again.shows("Written-down")
	if data, err := os.ReadFile(filepath.Join(project, "note.md")); err != nil || string(data) != "a note\n" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	again.shows(" out")
	again.types("\x04")
	again.ends(ExitDone)
}

// A server that goes away is missed at once, and found again when it is back.
func TestServerThatComesBack(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Waiting-long}, {wait: 10m}]}]", nil, "serve", "--addr", "127.0.0.1:0")
	url := x.prints(`listening on (http://\S+)\n`)
	chat := x.another("chat", "--server", strings.TrimSpace(url))
	chat.shows("/help")
	chat.types("wait\r")
	chat.shows("Waiting-long")
	if err := x.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = x.cmd.Wait() // it was killed
	chat.shows("no connection, trying again")
	server := x.another("serve", "--addr", strings.TrimPrefix(strings.TrimSpace(url), "http://"))
	server.shows("listening on")
	chat.shows("ended before it did")
	chat.types("\x04")
	chat.ends(ExitDone)
	server.types("\x03")
	server.ends(ExitDone)
}

// The rules of a server are not written from a chat: it does not offer that, and says whose
// they are when somebody asks for it. The question stays, and the help says it too.
func TestNoRulesForAServer(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, "turns: [{steps: [{call: {name: write, input: {path: note.md, content: one}}}, {say: Written-down}]}]", []string{"COLUMNS=100"}, "serve", "--addr", "127.0.0.1:0")
	url := x.shows(`listening on (http://\S+)\n`)
	chat := x.another("chat", "--server", strings.TrimSpace(url))
	chat.resizes(100, 40)
	chat.shows("/help")
	chat.types("write it\r")
	chat.shows("deny and say why")
	if strings.Contains(chat.screen(), "shows the rule first") {
		t.Errorf("a chat offers to write rules of a server:\n%s", chat.screen())
	}
	chat.answers("a")
	if !chat.waits(func() bool {
		return strings.Contains(chat.screen(), "its operator adds them to permit.allow")
	}) {
		t.Errorf("it does not say whose the rules are:\n%s", chat.screen())
	}
	chat.types("y")
	chat.shows("Written-down")
	if data, err := os.ReadFile(filepath.Join(project, "note.md")); err != nil || string(data) != "one" {
		t.Errorf("note.md has %q, %v", data, err)
	}
	chat.types("\x04")
	chat.ends(ExitDone)
	x.types("\x03")
	x.ends(ExitDone)
}

// Without a cursor to move it goes line by line: a person is asked all the same, and
// what they type meanwhile steers.
func TestChatOnADumbTerminal(t *testing.T) {
	t.Parallel()
	x, project := playOnTerminal(t, `
turns:
  - steps:
      - say: "\e]0;evil\aWriting-now"
      - call: {name: write, input: {path: note.md, content: "a note\n"}}
      - call: {name: write, input: {path: other.md, content: "a note\n"}}
      - say: Written-down
  - steps:
      - say: Waiting-long
      - wait: 10m
`, []string{"TERM=dumb"}, "chat", "write it")
	x.shows(`allow\? \[y = allow`)
	list := x.another("decision", "list")
	list.shows("until +it is answered")
	list.ends(ExitDone)
	x.types("y\n")
	x.shows("decided +allowed by ana")
	x.shows(`files +other.md[^?]*allow\?`)
	x.types("what?\nn not this one\n")
	x.shows("decided +denied by ana: not this one")
	x.shows("Written-down")
	x.shows("warning: 1 call refused$")
	x.shows("^> $")
	if _, err := os.Stat(filepath.Join(project, "note.md")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(project, "other.md")); err == nil {
		t.Error("what was denied was written")
	}
	x.types("and now wait\n")
	x.shows("Waiting-long")
	x.types("be quick\n")
	x.shows("said +it is heard at the next step")
	x.types("\x03")
	x.shows("(?s)unheard +be quick .*stopped +the turn was interrupted.*^> $")
	x.types("\x03")
	x.ends(ExitDone)
	x.shows("^ *go on +belay chat --session")
	if screen := x.screen(); strings.Contains(screen, "\x1b") {
		t.Errorf("a dumb terminal got escapes: %q", screen)
	}
}

// How a turn ended that failed or was cut off is told with what to do next, and stands
// there when the session is taken up.
func TestHowATurnEndedOnATerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, `
turns:
  - steps: [{fail: {status: 401, message: bad-key}}]
  - steps: [{say: Half-said}, {stop: max_tokens}]
`, nil, "chat", "hello")
	x.shows(`(?s)✗ scripted answered 401: bad-key.*→ the script of the scripted provider`)
	x.types("again\r")
	x.shows(`(?s)stopped: max_tokens.*→ say "go on"`)
	x.types("\x04")
	x.ends(ExitDone)
	again := x.another("chat", "--continue")
	again.shows("✗ bad-key")
	again.types("\x04")
	again.ends(ExitDone)
}

// A terminal may move what it shows after it told of a new size, so the screen is drawn
// anew once more when the window rests.
func TestAWindowIsDrawnAgainWhenItRests(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: Good-morning}]}]", nil, "chat", "hello")
	x.shows("(?s)Good-morning.* out")
	for _, columns := range []uint16{60, 100} {
		before := strings.Count(x.screen(), "\x1b[2J")
		x.resizes(columns, 20)
		if !x.waits(func() bool { return strings.Count(x.screen(), "\x1b[2J") >= before+2 }) {
			t.Errorf("at %d columns the screen was drawn anew %d times, want 2", columns, strings.Count(x.screen(), "\x1b[2J")-before)
		}
	}
	x.types("\x04")
	x.ends(ExitDone)
}

// A session is picked and forked on a real terminal. Each turn is known by what it
// used, which the screen shows at its end.
func TestSessionsOnATerminal(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, `
turns:
  - when: ABCDEFG
    steps: [{say: Goodmorning}, {usage: {input: 7777, output: 3}}]
  - when: zyxwvut
    steps: [{say: fare-thee-well}, {usage: {input: 8888, output: 4}}]
`, nil, "chat", "ABCDEFG")
	x.shows("7777[^0-9a-f]")
	x.types("/new\r")
	x.shows("a new session in")
	x.types("zyxwvut\r")
	x.shows("8888[^0-9a-f]")
	x.types("/session\r")
	x.shows("Which session")
	x.types("ABC\r")
	x.shows("(?s)Which session.*Goodmorning")
	x.types("/fork\r")
	x.shows("Go on from the end of which turn")
	x.types("\r")
	x.shows("a fork of")
	x.types("\x04")
	x.ends(ExitDone)
	x.shows("belay chat --session sess_")
}

// What is taken back in one chat is told in another one on the same session.
func TestUndoIsToldInAnotherChat(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, `
turns:
  - steps:
      - call: {name: write, input: {path: note.md, content: "a note\n"}}
      - say: Written-down
`, nil, "chat", "--mode", "acceptEdits")
	x.shows("/help")
	x.types("write it\r")
	x.shows("(?s)Written-down.* out") // what the turn used, at its end
	other := x.another("chat", "--continue")
	other.shows("(?s)Written-down.* out")
	x.types("/undo\r")
	x.shows("(?s)Take back what the last turn did to 1 file.*removes note.md")
	x.types("take\r")
	for _, c := range []*terminal{x, other} {
		c.shows("taken back: note.md")
		c.types("\x04")
		c.ends(ExitDone)
	}
}

// A chat with a provider that has no key does not open.
func TestChatWithoutAKey(t *testing.T) {
	t.Parallel()
	x, _ := playOnTerminal(t, "turns: [{steps: [{say: x}]}]", nil, "chat", "--provider", "anthropic")
	x.ends(ExitUsage)
	x.shows("MISSING_API_KEY")
	x.shows("set ANTHROPIC_API_KEY in the environment that belay runs in")
	if strings.Contains(x.screen(), "\x1b[?1049h") {
		t.Errorf("the screen was taken: %q", x.screen())
	}
}

// A terminal gets the sessions that were used last, and is notified of the others.
func TestListOnATerminal(t *testing.T) {
	t.Parallel()
	x, project := onTerminal(t, nil, "session", "list")
	x.shows("no sessions")
	x.ends(ExitDone)
	s, err := session.NewStore(session.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for range shownSessions + 2 {
		if _, err := s.Create(t.Context(), project, "TASK", "direct"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		args []string
		rows int
	}{
		{[]string{"session", "list"}, shownSessions}, {[]string{"session", "list", "--limit", "5"}, 5},
		{[]string{"session", "list", "--limit", "0"}, shownSessions + 2}, {[]string{"session", "list", "--json"}, shownSessions + 2},
	} {
		list := x.another(one.args...)
		list.ends(ExitDone)
		if rows := strings.Count(list.screen(), "sess_"); rows != one.rows {
			t.Errorf("%v lists %d sessions, want %d", one.args, rows, one.rows)
		}
		if told := strings.Contains(list.screen(), "2 sessions not listed; raise --limit, or list all with --limit 0"); told != (one.rows == shownSessions) {
			t.Errorf("%v tells of more: %v", one.args, told)
		}
	}
}
