package chat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

func TestAMessageBecomesATurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("what is **open**?")
	s.shows("▌ what is **open**?", "sending", "WORKING_ITEMS · direct")
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{Model: "m", TurnID: "t1"}}, delta("It is *very* "), delta("open.\n\nAnd more"))
	s.shows("working", "It is very open.", "And more")
	s.log(event.Draft{Type: event.ChatComplete, Data: event.Text{Text: "It is *very* open.\n\nAnd more"}},
		event.Draft{Type: event.Usage, Data: event.UsageReport{Totals: event.Tokens{InputTokens: 12, OutputTokens: 3}}}, exit(0))
	s.shows("12 in · 3 out")
	s.lacks("working")
	if n := strings.Count(s.screen(), "very"); n != 1 {
		t.Errorf("the answer is shown %d times", n)
	}
	s.sent(turn.Request{SessionID: "sess_1", Message: "what is **open**?"})
}

// A provider that streams nothing says everything in the end.
func TestAnAnswerInOnePiece(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(event.Draft{Type: event.ChatComplete, Data: event.Text{Text: "all at once"}}, exit(0))
	s.shows("all at once")
}

func TestWhatWasNotTakenComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = fault.New(fault.MissingAPIKey, "there is no key")
	s.say("hello")
	s.shows("not sent: there is no key", "› hello")
	s.engine.startErr = nil
	s.press("enter")
	if len(s.engine.requests) != 2 {
		t.Errorf("sent %d times", len(s.engine.requests))
	}
}

// What is typed while a turn runs goes into it; the log says when it was heard.
// How a turn ended, if not well, is told with the next step.
func TestTheNextStepIsTold(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) {
		o.Explain = func(x event.Exit, stop string) (string, string) {
			if stop == "" {
				stop = "a failure"
			}
			return x.Error + " (explained)", "step after " + stop
		}
	})
	s.begun()
	s.log(event.Draft{Type: event.ProcessExit, Data: event.Exit{ExitCode: 1, Error: "no key"}})
	s.shows("✗ no key (explained)\n→ step after a failure")
	s.say("again")
	s.logOf("t2", event.Draft{Type: event.SessionInit, Data: event.Init{Model: "m", TurnID: "t2"}},
		event.Draft{Type: event.SessionComplete, Data: event.Complete{StopReason: "max_tokens"}}, exit(0))
	s.shows("── stopped: max_tokens", "→ step after max_tokens")
}

// The end of a turn says which calls were not permitted.
func TestTheEndTellsWhatWasNotPermitted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(event.Draft{Type: event.ProcessExit, Data: event.Exit{Calls: &event.Calls{Refused: 2, Expired: 1}}})
	s.shows("! 2 calls refused, 1 not answered in time")
}

func TestTypingSteers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.say("be quick")
	s.press("then stop", "alt+enter")
	s.shows("at the next step: be quick", "after the answer: then stop")
	s.log(event.Draft{Type: event.TurnInput, Data: event.Input{Message: "be quick", Mode: "steer"}})
	s.shows("▌ steered", "▌ be quick", "after the answer: then stop")
	s.lacks("at the next step")
	want := []turn.SteerRequest{
		{SessionID: "sess_1", Message: "be quick", Mode: session.Steer},
		{SessionID: "sess_1", Message: "then stop", Mode: session.FollowUp},
	}
	s.steered(want...)
	s.log(exit(130))
	s.shows("interrupted", "the agent reads this with your next message:")
}

// What is said when a turn is over and its end not seen yet begins the next, once it
// is seen, and before what is said after that.
func TestSteeringTooLateBeginsATurn(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{false, true} {
		s := newStage(t)
		s.begun()
		s.engine.steerErr = fault.New(fault.NoTurnInProgress, "no turn runs")
		s.press("and this")
		_, cmd := s.m.Update(tea.KeyPressMsg{Code: tea.KeyEnter}) // sent, not answered yet
		if seen {
			s.log(exit(0))
		}
		s.play(cmd)
		s.say("then that")
		if !seen {
			s.shows("↳", "and this", "then that")
			s.log(exit(0))
		}
		s.lacks("not said")
		s.shows("▌ and this")
		last := s.engine.requests[len(s.engine.requests)-1]
		if last.Message != "and this" || len(s.engine.requests) != 2 {
			t.Errorf("%d turns, the last says %q", len(s.engine.requests), last.Message)
		}
	}
}

// What came too late for a turn of a session that was left begins nothing in another one.
func TestSteeringOfALeftSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.engine.steerErr = fault.New(fault.NoTurnInProgress, "no turn runs")
	s.press("and this")
	_, cmd := s.m.Update(tea.KeyPressMsg{Code: tea.KeyEnter}) // sent, not answered yet
	s.log(exit(0))
	s.say("/new")
	before := len(s.engine.requests)
	s.play(cmd)
	s.shows("not sent to the session that you left: and this")
	if n := len(s.engine.requests); n != before {
		t.Errorf("%d turns were begun", n-before)
	}
}

func TestCtrlC(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.press("ctrl+c")
	s.shows("stopping; Ctrl-C again leaves")
	if diff := cmp.Diff([]string{"t1"}, s.engine.stops); diff != "" {
		t.Errorf("stopped (-want +got):\n%s", diff)
	}
	s.log(exit(130))
	s.pass(time.Minute)
	s.press("draft", "ctrl+c")
	s.lacks("draft")
	s.pass(time.Minute)
	s.press("ctrl+c")
	if s.left {
		t.Fatal("one Ctrl-C left the chat")
	}
	s.press("ctrl+c")
	if !s.left {
		t.Error("two of them did not")
	}
}

func TestTwoCtrlCLeaveARunningTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.press("ctrl+c", "ctrl+c")
	if !s.left || !s.m.working() {
		t.Errorf("left %v, working %v", s.left, s.m.working())
	}
}

// A reader that breaks goes on after the last event that was seen.
func TestALostLogIsReadOn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.log(delta("one "))
	s.m.Update(happened{log: s.m.follower.log, stream: &silent{}, err: errors.New("connection reset")})
	s.shows("── no connection, trying again: connection reset")
	s.send(reconnect{s.m.follower.log})
	s.lacks("no connection")
	if last := s.engine.opened[len(s.engine.opened)-1]; last != s.seq {
		t.Errorf("opened after %d, want %d", last, s.seq)
	}
	s.seq-- // the last one comes again
	s.log(delta("one "), delta("two"))
	s.shows("one two")
}

// A turn that another surface began in this session is shown with its words.
func TestATurnFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *Options) { o.Session = "sess_1" })
	s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t9", Message: "from the page"}}
	s.logOf("t9", event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t9"}}, delta("an answer"))
	s.play(s.m.calls.find("sess_1", "t9"))
	s.shows("from elsewhere", "from the page", "an answer")
}

// --continue shows what was said: earlier turns from the transcript, the last one
// from the log, which has its end.
func TestASessionGoesOn(t *testing.T) {
	t.Parallel()
	zero := 0
	entries := []session.Entry{
		{Kind: session.EntryTurn, Turn: "t1", Message: "first"},
		{Kind: session.EntryAssistant, Turn: "t1", Blocks: []session.Block{
			{Type: session.BlockText, Text: "an *old* answer"}, {Type: session.BlockToolCall, ID: "c1", Name: "read", Input: []byte(`{"path":"a.md"}`)}}},
		{Kind: session.EntryTools, Turn: "t1", Blocks: []session.Block{{Type: session.BlockToolResult, ID: "c1", Name: "read", Text: "the text of a.md"}}},
		{Kind: session.EntryEnd, Turn: "t1", ExitCode: &zero},
		{Kind: session.EntryTurn, Turn: "t2", Message: "second", After: 41},
		{Kind: session.EntryAssistant, Turn: "t2", Blocks: []session.Block{{Type: session.BlockText, Text: "not shown from here"}}},
	}
	s := newStage(t, func(o *Options) {
		o.Session = "sess_1"
		o.Engine.(*fake).entries = entries
	})
	s.shows("▌ first", "an old answer", "● read a.md", "the text of a.md", "▌ second")
	s.lacks("not shown from here")
	if diff := cmp.Diff([]int64{41}, s.engine.opened); diff != "" {
		t.Errorf("opened after (-want +got):\n%s", diff)
	}
}

func TestFilesGoWithTheMessage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"plan.md", "with space.md"} {
		if err := os.WriteFile(filepath.Join(s.m.o.Folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.say("/attach missing.md")
	s.shows("there is no file missing.md")
	s.press("/attach w", "tab")
	s.shows("/attach with space.md")
	s.press("enter")
	s.shows("+ with space.md")
	s.say("see @plan.md. And @nobody, me@x.org")
	want := []string{filepath.Join(s.m.o.Folder, "with space.md"), filepath.Join(s.m.o.Folder, "plan.md")}
	if diff := cmp.Diff(want, s.engine.requests[0].Attachments); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
	s.lacks("+ with space.md, plan.md")
}

func TestCommands(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("/nonsense")
	s.shows("no command /nonsense; /help lists them")
	s.say("/satus")
	s.shows("no command /satus; did you mean /status?")
	s.say("/mode sideways")
	s.shows("the modes are direct, acceptEdits, plan, dontAsk")
	s.say("/mode plan")
	s.say("/model big")
	s.shows("plan · big")
	s.say("/undo")
	s.shows("changed no files")
	s.say("/etc/hosts is a file")
	if got := s.engine.requests[0]; got.Message != "/etc/hosts is a file" || got.Opts.Mode != "plan" || got.Opts.Model != "big" {
		t.Errorf("sent %+v", got)
	}
	s.log(exit(0))
	s.engine.changes = []changes.ChangeSet{{Turn: "t1", Changes: []changes.FileChange{{Change: session.Change{Path: "a.md", After: "1", AfterBytes: 2}, Diff: "@@ -0,0 +1 @@\n+hi\n"}}}}
	s.say("/changes")
	s.shows("new a.md (2 B)", "+hi")
	s.say("/undo")
	s.shows("Take back what the last turn did to 1 file?", "removes a.md", "› keep")
	s.press("enter") // keeps it
	if len(s.engine.undone) > 0 {
		t.Error("it was taken back unasked")
	}
	s.say("/undo")
	s.everySize()
	s.send(tea.WindowSizeMsg{Width: 60, Height: 24})
	s.press("down", "enter")
	s.shows("taken back: a.md")
	s.logOf("", event.Draft{Type: event.ChangesUndone, Data: event.Undone{TurnID: "t1", Paths: []string{"a.md"}}})
	s.lacks("(2 times)") // the log reports it as well
	s.logOf("", event.Draft{Type: event.ChangesUndone, Data: event.Undone{TurnID: "t0", Paths: []string{"b.md"}}})
	s.shows("taken back: b.md") // by somebody else
	if diff := cmp.Diff([]string{"t1"}, s.engine.undone); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
	s.say("/quit")
	if !s.left {
		t.Error("/quit did not leave")
	}
}
