package chat

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// A message that is entered before the session was read is sent once that is on the screen,
// and is there once.
func TestAMessageBeforeTheSessionIsRead(t *testing.T) {
	t.Parallel()
	zero := 0
	s := newStage(t, withSessions)
	s.engine.entries = []session.Entry{
		{Kind: session.EntryTurn, Turn: "t0", Message: "what was there"},
		{Kind: session.EntryEnd, Turn: "t0", ExitCode: &zero},
	}
	load := s.m.open("sess_older-one")
	s.say("hello")
	s.say("and more")
	s.sent()
	s.shows("↳ at the next step: hello")
	s.say("/new")
	s.shows("a message waits until this session is read")
	s.play(load)
	s.sent(turn.Request{SessionID: "sess_older-one", Message: "hello"})
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t1"}})
	s.shows("what was there", "▌ hello")
	s.lacks("from elsewhere")
	s.lacks("sending")
	s.steered(turn.SteerRequest{SessionID: "sess_older-one", Message: "and more", Mode: session.Steer})
}

// Where the session cannot be read the message is given back.
func TestAMessageForASessionThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.m.open("sess_gone")
	s.say("hello")
	s.send(loaded{log: s.m.follower.log, err: errors.New("it is gone")})
	s.sent()
	s.shows("✗ it is gone", "not sent: it is gone", "› hello")
}

// hold keeps a message of the person from the engine until the stage plays what is returned.
func (s *stage) hold(text string) tea.Cmd {
	s.press(text)
	_, cmd := s.m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	return cmd
}

// What waited for a message that failed is shown as failed too, and its files come back.
func TestWhatWaitsForAMessageThatFails(t *testing.T) {
	t.Parallel()
	for _, typing := range []string{"", "a draft"} {
		s := newStage(t)
		s.engine.startErr = fault.New(fault.Overloaded, "no place is free")
		first := s.hold("first")
		s.m.outbox.attached = []string{"/abs/plan.md"}
		s.say("second")
		s.press(typing)
		s.play(first)
		s.shows("▌ first", "▌ second", "+ /abs/plan.md", "not sent: no place is free")
		if typing == "" {
			s.shows("› first", "  second")
		} else {
			s.shows("› a draft")
		}
		same(t, "attached", []string{"/abs/plan.md"}, s.m.outbox.attached)
	}
}

// A message that did not reach the turn is shown as failed, and comes back with its files.
func TestASteerThatFails(t *testing.T) {
	t.Parallel()
	for _, typing := range []string{"", "a draft"} {
		s := newStage(t)
		s.begun()
		s.engine.steerErr = fault.New(fault.StorageFailure, "the disk is full")
		s.m.outbox.attached = []string{"/abs/plan.md"}
		steer := s.hold("use this")
		s.press(typing)
		s.play(steer)
		s.shows("▌ use this", "+ /abs/plan.md", "not sent: the disk is full", "› "+cmp.Or(typing, "use this"))
		same(t, "attached", []string{"/abs/plan.md"}, s.m.outbox.attached)
	}
}

// A message has a key of its own, and keeps it when it is sent again after its reply was lost.
func TestAMessageKeepsItsKey(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	s.press("enter")
	s.press("!", "enter")
	k := s.engine.keys
	if len(k) != 3 || k[0] == "" || k[1] != k[0] || k[2] == k[0] {
		t.Errorf("the keys are %q", k)
	}

	s = newStage(t)
	s.begun()
	s.engine.steerErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	s.press("enter")
	s.engine.steerErr = nil
	s.press("enter")
	s.say("hello")
	if k = s.engine.keys[1:]; len(k) != 4 || k[0] == "" || k[1] != k[0] || k[2] != k[0] || k[3] == k[0] {
		t.Errorf("the keys are %q", k)
	}
}

// A message that the session has with other options does not block the one after it.
func TestAMessageThatTheSessionHas(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	s.engine.startErr = fault.New(fault.IdempotencyConflict, "the key was used")
	s.press("enter")
	s.shows("not sent: the session has it from an earlier try")
	s.press("enter")
	if k := s.engine.keys; k[1] != k[0] || k[2] == k[0] {
		t.Errorf("the keys are %q", k)
	}
}

// The turn of a message whose reply was lost is in the log already. Sent again, the message
// waits for no other turn.
func TestAMessageThatWasReceived(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t1"}}, exit(0))
	s.engine.startErr, s.engine.turn = nil, "t1"
	s.press("enter")
	s.shows("received at the first try")
	if s.m.working() {
		t.Error("it waits for a turn")
	}
}

// Who goes on in a session while a fork of it is made is not taken away from the turn.
func TestSpeakingWhileAForkIsMade(t *testing.T) {
	t.Parallel()
	for _, outlives := range []bool{false, true} {
		s := newStage(t, func(o *Options) { o.Outlives = outlives })
		s.begun()
		s.log(exit(0))
		made := forked{record: session.Record{SessionID: "sess_2_fork"}, from: "sess_1", next: "go"}
		sent := s.hold("one thing more")
		s.send(made)
		s.shows("the fork is made; go to it with /session sess_2_fork")
		s.play(sent)
		s.logOf("t2", event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t2"}})
		s.send(made)
		if s.m.session != "sess_1" {
			t.Errorf("outlives %v: the chat went to %s", outlives, s.m.session)
		}
	}
}

// The files of a message count by what they are: the same text with another one is new.
func TestKeysOfOtherFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	write(t, s.m.o.Folder, "a.md")
	s.m.outbox.attached = []string{filepath.Join(s.m.o.Folder, "a.md")}
	s.press("enter")
	if k := s.engine.keys; len(k) != 2 || k[1] == k[0] {
		t.Errorf("the keys are %q", k)
	}
}

// A message whose reply was lost is no more offered once the log shows its turn, and the same
// words are a new message then.
func TestAMessageThatArrivedAfterAll(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("hello")
	s.engine.startErr = nil
	s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t1", Message: "hello"}}
	s.log(event.Draft{Type: event.SessionInit, Data: event.Init{TurnID: "t1"}}, exit(0))
	if text := s.m.editor.text(); text != "" {
		t.Errorf("the editor still offers %q", text)
	}
	s.say("hello")
	if k := s.engine.keys; len(k) != 2 || k[1] == k[0] {
		t.Errorf("the keys are %q", k)
	}
}

// What was said into a turn, and seemed to have failed, has arrived once the turn reports it. The
// same words in a later turn are a new message.
func TestASteerThatArrivedAfterAll(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.engine.steerErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	s.say("continue")
	s.engine.steerErr = nil
	s.log(event.Draft{Type: event.TurnInput, Data: event.Input{Message: "continue", Mode: "steer"}}, exit(0))
	if text := s.m.editor.text(); text != "" {
		t.Errorf("the editor still offers %q", text)
	}
	s.say("second turn")
	s.begins("t2")
	s.say("continue")
	if k := s.engine.keys; len(k) != 4 || k[3] == k[1] {
		t.Errorf("the keys are %q", k)
	}
}

// What is still on its way into a turn when that ends was not heard. The engine's answer says
// whether it is on record for the next turn, begins one, or was refused.
func TestTheEndOfATurnOvertakesWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	const next = "the agent reads this with your next message: be quick"
	for name, c := range map[string]struct {
		err   error
		shows []string
	}{
		"received": {nil, []string{next}},
		"refused":  {fault.New(fault.Overloaded, "it is too long"), []string{"not sent: it is too long", "› be quick"}},
		"too late": {fault.New(fault.NoTurnInProgress, "no turn runs"), []string{"▌ be quick"}},
	} {
		s := newStage(t)
		s.begun()
		s.engine.steerErr = c.err
		late := s.hold("be quick")
		s.log(exit(0))
		s.lacks("the agent reads this")
		s.play(late)
		s.shows(c.shows...)
		if c.err != nil {
			s.lacks("the agent reads this")
		}
		if n := len(s.m.outbox.waiting()); n > 0 {
			t.Errorf("%s: %d still wait", name, n)
		}
	}
}
