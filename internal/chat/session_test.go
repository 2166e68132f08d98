package chat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// withSessions is a project with two sessions beside the one of the stage.
func withSessions(o *Options) {
	f := o.Engine.(*fake)
	f.records = []session.Record{
		{SessionID: "sess_1", Persona: "WORKING_ITEMS", UpdatedAt: session.Time{Time: noon}},
		{SessionID: "sess_older-one", Persona: "TASK", Mode: "plan", UpdatedAt: session.Time{Time: noon.Add(-50 * time.Hour)}},
		{SessionID: "sess_newer-one", Persona: "TASK", UpdatedAt: session.Time{Time: noon.Add(-time.Hour)}},
	}
	o.Opening = func(_ context.Context, id string) string { return "the opening of\n" + id }
}

func TestPickingASession(t *testing.T) {
	t.Parallel()
	s := newStage(t, withSessions, func(o *Options) { o.Session = "sess_1" })
	s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t0", Message: "what was said there"}, {Kind: session.EntryEnd, Turn: "t0"}}
	s.say("/session")
	s.shows("? Which session?", "› the opening of sess_1", "  the opening of sess_newer-", "1 h ago · TASK · sess_", "2 days ago")
	s.fits()
	s.press("old")
	s.shows("› the opening of sess_older", "› old")
	s.lacks("newer")
	s.press("nothing has this")
	s.shows("none has that")
	s.press("enter", "esc")
	s.lacks("Which session?")
	s.shows("say something")

	s.say("/sessions")
	s.press("down", "enter")
	s.lacks("Which session?")
	s.shows("what was said there", "TASK · sess_newer-on")
	s.say("hello")
	if got := s.engine.requests[0].SessionID; got != "sess_newer-one" {
		t.Errorf("said in %s", got)
	}
}

func TestGoingToASession(t *testing.T) {
	t.Parallel()
	s := newStage(t, withSessions)
	s.say("/session sess_nobody")
	s.shows("no session has the id sess_nobody")
	s.say("/session sess_")
	s.shows("no session has the id") // more than one begins so
	s.say("/session sess_old")
	s.shows("TASK · plan · sess_older-on")
	s.say("/session sess_older-one")
	s.shows("this is that session")
	s.say("/new")
	s.shows("a new session in /p")
	s.lacks("sess_older")
	s.say("hello")
	s.shows("sess_1")
}

// A session of another project brings its folder along.
func TestGoingToAnotherProject(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	write(t, other, "there.md")
	s := newStage(t, withSessions, func(o *Options) { o.Engine.(*fake).records[1].ProjectRoot = other })
	s.say("/session sess_older-one")
	s.say("see @there.md")
	if diff := cmp.Diff([]string{filepath.Join(other, "there.md")}, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
	if title := s.m.View().WindowTitle; title != "belay · "+filepath.Base(other) {
		t.Errorf("the window is called %q", title)
	}
}

// What the log of the session before still brings is not shown in the next, and its
// reader is let go.
func TestTheSessionBeforeIsSilent(t *testing.T) {
	t.Parallel()
	s := newStage(t, withSessions, func(o *Options) { o.Outlives = true })
	s.begun()
	before := s.m.follower.log
	s.say("/session sess_older-one")
	late := []event.Event{{Seq: 99, Turn: "t1", Type: event.ChatDelta, Data: []byte(`{"text":"too late"}`)}}
	s.send(happened{log: before, stream: &silent{}, events: late})
	s.send(happened{log: before, stream: &silent{}, err: errors.New("broken")})
	s.send(connected{log: before, stream: &silent{}})
	s.send(loaded{log: before, entries: []session.Entry{{Kind: session.EntryTurn, Turn: "t1", Message: "too late"}}})
	s.lacks("too late")
	s.lacks("no connection")
	if before.ctx.Err() == nil {
		t.Error("the reader of the session before goes on")
	}
}

// A turn that ends with this program is not left alone.
func TestARunningTurnKeepsOneHere(t *testing.T) {
	t.Parallel()
	s := newStage(t, withSessions)
	s.begun()
	for _, c := range []string{"/session sess_older-one", "/session", "/new", "/fork"} {
		s.say(c)
		if s.m.session != "sess_1" || s.m.menu != nil {
			t.Errorf("%s left the turn", c)
		}
	}
	s.shows("a turn runs here", "(4")
	s.press("ctrl+d")
	if s.left {
		t.Error("Ctrl-D left the turn without a question")
	}
	s.shows("Ctrl-D again stops it")
	s.press("ctrl+d")
	if !s.left {
		t.Error("the second one did not leave")
	}
}

func TestForking(t *testing.T) {
	t.Parallel()
	zero := 0
	s := newStage(t, withSessions, func(o *Options) {
		o.Session = "sess_1"
		o.Engine.(*fake).entries = []session.Entry{
			{Kind: session.EntryTurn, Turn: "t1", Message: "first"},
			{Kind: session.EntryAssistant, Turn: "t1", Blocks: []session.Block{{Type: session.BlockText, Text: "an answer"}}},
			{Kind: session.EntryEnd, Turn: "t1", ExitCode: &zero},
			{Kind: session.EntryTurn, Turn: "t2", Message: "second", After: 7},
			{Kind: session.EntryEnd, Turn: "t2", ExitCode: &zero},
		}
	})
	s.say("/fork")
	s.shows("› second", "  first")
	s.press("down")
	// The fork has the first turn, whose events are in the other session's log.
	s.engine.records = append(s.engine.records, session.Record{SessionID: "sess_2_fork", ForkedFrom: &session.Origin{SessionID: "sess_1", TurnID: "t1"}})
	s.engine.entries = s.engine.entries[:3:3]
	s.engine.entries[0].After = -1
	s.press("enter")
	if diff := cmp.Diff([]changes.ForkRequest{{SessionID: "sess_1", TurnID: "t1"}}, s.engine.forks); diff != "" {
		t.Errorf("forked (-want +got):\n%s", diff)
	}
	s.shows("▌ first", "an answer", "a fork of sess_1", "› second", "sess_2_fork")
	if last := s.engine.opened[len(s.engine.opened)-1]; last != 0 {
		t.Errorf("the fork's log was opened after %d", last)
	}
	s.press("ctrl+c")
	s.say("/status")
	s.shows("forked from", "sess_1, after t1")
}

func TestStatus(t *testing.T) {
	t.Parallel()
	calls, ms, usd, tools := 3, int64(90_000), 0.5, []string{"read", "grep"}
	s := newStage(t, func(o *Options) {
		o.Opts = turn.Opts{MaxTurns: &calls, TimeoutMS: &ms, MaxCostUSD: &usd, Tools: &tools}
		o.Allow = []string{"bash(go test *)"}
	})
	s.begun()
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t1", Model: "m", Governance: &event.Governance{Reason: "it is switched off"}}}, exit(0))
	s.say("/status")
	s.shows("sess_1", "read, grep", "bash(go test *)", "3 model calls, $0.5, 1 min 30 s a turn", "closed: it is switched off", "/p")
	if got := s.engine.requests[0].Opts; got.MaxTurns != &calls || got.TimeoutMS != &ms {
		t.Errorf("the turn has other limits: %+v", got)
	}
}

func TestCopyingTheAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("/copy")
	s.shows("there is no answer yet")
	s.begun()
	s.log(delta("the *answer*"), event.Draft{Type: event.ChatComplete, Data: event.Text{Text: "the *answer*"}}, exit(0))
	if cmd := copyAnswer(s.m, ""); cmd == nil || fmt.Sprint(cmd()) != "the *answer*" {
		t.Error("the answer was not copied as it was written")
	}
	s.m.answer = strings.Repeat("x", maxCopied+1)
	s.say("/copy")
	s.shows("too long for the clipboard")
}

// What is given with the command line is said first, in a session that goes on after
// that was shown.
func TestSaidFirst(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "sess_1"} {
		s := newStage(t, func(o *Options) { o.Session, o.Say, o.Attach = id, "begin", []string{"/abs/plan.md"} })
		want := []turn.Request{{SessionID: "sess_1", Message: "begin", Attachments: []string{"/abs/plan.md"}}}
		if diff := cmp.Diff(want, s.engine.requests); diff != "" {
			t.Errorf("%q: sent (-want +got):\n%s", id, diff)
		}
	}
}

// A turn that waited for a person when its process died goes on before the session is
// read; where it does not, that is said.
func TestATurnIsTakenUp(t *testing.T) {
	t.Parallel()
	var taken []string
	s := newStage(t, func(o *Options) {
		o.Session = "sess_1"
		o.TakeUp = func(_ context.Context, id string) error {
			taken = append(taken, id)
			return errors.New("it is a copy")
		}
	})
	if diff := cmp.Diff([]string{"sess_1"}, taken); diff != "" {
		t.Errorf("taken up (-want +got):\n%s", diff)
	}
	s.shows("it is a copy")
}

// A call that a turn left without a result does not wait for ever on the screen.
func TestCallsOfATurnThatDied(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(question("d1")...)
	s.shows("waits for you")
	s.log(event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: 1, Error: "the process died"}})
	s.shows("✗ bash rm -rf docs", "not finished", "the process died")
	s.lacks("waits for you")

	one := 1
	s = newStage(t, func(o *Options) {
		o.Session = "sess_1"
		o.Engine.(*fake).entries = []session.Entry{
			{Kind: session.EntryTurn, Turn: "t1", Message: "first"},
			{Kind: session.EntryAssistant, Turn: "t1", Blocks: []session.Block{{Type: session.BlockToolCall, ID: "c1", Name: "read", Input: []byte(`{"path":"a.md"}`)}}},
			{Kind: session.EntryEnd, Turn: "t1", ExitCode: &one, StopReason: session.StopProcessEnded},
			{Kind: session.EntryUndo, Turn: "t1", Paths: []string{"b.md"}},
			{Kind: session.EntryTurn, Turn: "t3", Message: "second"},
			{Kind: session.EntryEnd, Turn: "t3", ExitCode: &one, Error: "the key is not accepted"},
			{Kind: session.EntryTurn, Turn: "t2", Message: "third"},
		}
	})
	s.shows("✗ the key is not accepted", "✗ read a.md", "not finished", "── failed", "the process that ran this turn ended", "taken back: b.md")
}

// Of an earlier turn the record reports how long it took, and what its calls did to files.
func TestEarlierTurnsTellWhatTheyDid(t *testing.T) {
	t.Parallel()
	zero, at := 0, func(seconds int64) session.Time { return session.Time{Time: time.Unix(1e9+seconds, 0)} }
	s := newStage(t, func(o *Options) {
		o.Session = "sess_1"
		o.Engine.(*fake).entries = []session.Entry{
			{Kind: session.EntryTurn, Turn: "t1", Time: at(0), Message: "first"},
			{Kind: session.EntryAssistant, Turn: "t1", Time: at(2), Blocks: []session.Block{
				{Type: session.BlockToolCall, ID: "c1", Name: "bash", Input: []byte(`{"command":"rm b.md"}`)},
				{Type: session.BlockToolCall, ID: "c2", Name: "bash", Input: []byte(`{"command":"true"}`)},
			}},
			{Kind: session.EntryTools, Turn: "t1", Time: at(3), Blocks: []session.Block{
				{Type: session.BlockToolResult, ID: "c1", Name: "bash"}, {Type: session.BlockToolResult, ID: "c2", Name: "bash"},
			}, Changes: []session.Change{
				{Call: "c1", Path: "a.md", Before: "1", After: "2", AfterMode: 0o644}, {Call: "c1", Path: "b.md", Before: "1"},
				{Call: "c1", Path: "_STATUS.md", Before: "1", Restored: true},
			}},
			{Kind: session.EntryEnd, Turn: "t1", Time: at(75), ExitCode: &zero},
			{Kind: session.EntryTurn, Turn: "t2", Time: at(90), Message: "second"},
		}
	})
	s.shows("● bash rm b.md", "changed a.md", "removed b.md", "● bash true", "── 1 min 15 s")
	s.lacks("changed b.md")
	s.lacks("_STATUS.md")
	if n := strings.Count(s.screen(), "a.md"); n != 1 {
		t.Errorf("a.md is told of %d times", n)
	}
}

// A service may number calls anew in each answer, so a subagent's may have the ids of
// its parent's. Each result still stands with its own call.
func TestCallsOfTwoAgentsWithOneID(t *testing.T) {
	t.Parallel()
	call := func(id, parent, name, path string) event.Draft {
		return event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: id, ParentToolCallID: parent, Name: name, Input: []byte(`{"path":"` + path + `"}`)}}
	}
	result := func(id, parent, name, output string) event.Draft {
		return event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: id, ParentToolCallID: parent, Name: name, OK: true, Output: output}}
	}
	s := newStage(t)
	s.begun()
	s.log(
		call("c0", "", "agent.TASK", "task"), call("c1", "", "read", "mine.md"),
		call("c0", "c0", "read", "theirs.md"), call("c1", "c0", "list", "docs"),
	)
	s.log(question("1")[1:]...) // of the call c1, which the subagent made last
	s.shows("○ read theirs.md", "? list docs")
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "1", ToolCallID: "c1", Verdict: "allow", By: "ann"}})
	s.log(
		result("c0", "c0", "read", "in theirs"), result("c1", "c0", "list", "printed"),
		result("c0", "", "agent.TASK", "reported"), result("c1", "", "read", "in mine"),
	)
	s.shows(`● agent.TASK task
● read mine.md
  in mine
  ● read theirs.md
    in theirs
  ● list docs
    allowed by ann
    printed
└ agent.TASK is done
  reported`)
}

func TestPersonasAreChecked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("/persona NOBODY")
	s.shows("there is no persona NOBODY", "personas: TASK, WORKING_ITEMS")
	s.say("/persona TASK")
	s.shows("the next turns go to TASK")
	s.say("hello")
	if got := s.engine.requests[0].Opts.Persona; got != "TASK" {
		t.Errorf("sent to %q", got)
	}
}

// What a call printed shows also where a person allowed it, and of a command of many
// lines the first.
func TestWhatAnAllowedCommandPrinted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(event.Draft{Type: event.ToolCall, Data: event.ToolUse{ToolCallID: "c", Name: "bash", Input: []byte(`{"command":"cat <<X\nhello\nX\n","dir":"src"}`)}},
		event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d", ToolCallID: "c", Verdict: "allow", By: "ann"}},
		event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "c", Name: "bash", OK: true, Output: "it printed this", Changed: []string{"a.md", "b.md"}, Removed: []string{"b.md"}}})
	s.shows("● bash cat <<X (and 2 more lines) (in src)", "allowed by ann", "it printed this", "changed a.md", "removed b.md")
}

// To say that there is one line more would take as much room as the line.
func TestALineMoreIsShown(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"1\n2\n3\n4\n5\n":    "  4\n  5",
		"1\n2\n3\n4\n5\n6\n": "  4\n  … 2 more lines (Ctrl-O)",
	} {
		for _, ok := range []bool{true, false} {
			s := newStage(t)
			s.begun()
			s.log(event.Draft{Type: event.ToolResult, Data: event.ToolOutcome{ToolCallID: "1", Name: "bash", OK: ok, Output: output}})
			s.shows(want)
		}
	}
}

// A server that is away is said to be, without the particulars of the network.
func TestServersThatAreAway(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: &url.Error{Op: "Post", URL: "http://x/", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}}
	s.say("hello")
	s.shows("not sent: no answer from the server at http://x: nothing", "› hello")
}

// On a full disk a turn can end before anything of it is in the log.
func TestATurnThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.first = []event.Event{
		{Type: event.TurnError, Data: []byte(`{"message":"the event log could not be written"}`)},
		{Type: event.ProcessExit, Data: []byte(`{"exitCode":1,"errorType":"STORAGE_FAILURE","error":"the event log could not be written"}`)},
	}
	s.say("keep this")
	s.shows("the event log could not be written", "› keep this")
	s.lacks("sending")
	s.engine.first = nil
	s.press("enter")
	if n := len(s.engine.requests); n != 2 {
		t.Errorf("sent %d times", n)
	}
}

// The menus of /undo and /fork are about a session, and do not open in another one.
func TestAMenuOfASessionThatWasLeft(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"/undo", "/fork"} {
		s := idle(t, withSessions)
		s.engine.changes = []changes.ChangeSet{{Turn: "t1", Changes: []changes.FileChange{{}}}}
		s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t1", Message: "go"}}
		asked := s.hold(command)
		s.say("/session sess_older-one")
		s.play(asked)
		if s.m.session != "sess_older-one" || s.m.menu != nil {
			t.Errorf("%s: in %s the menu is %v", command, s.m.session, s.m.menu)
		}
	}
}

// What a chat begins with may be a command, as what is typed in it.
func TestAChatBeginsWithACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) { o.Say = "/mode plan" })
	s.play(s.m.Init())
	if got := s.m.o.Opts.Mode; got != "plan" || len(s.engine.requests) > 0 {
		t.Errorf("the mode is %q, and %d messages were sent", got, len(s.engine.requests))
	}
}

// A program may pass on what somebody else wrote: that never runs in the person's shell.
func TestAChatBeginsWithNoCommandOfTheShell(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) { o.Say = "!touch /nowhere" })
	s.play(s.m.Init())
	if len(s.engine.requests) != 1 || s.engine.requests[0].Message != "!touch /nowhere" || s.m.own.running != nil {
		t.Errorf("sent were %v", s.engine.requests)
	}
}
