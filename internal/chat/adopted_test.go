package chat

import (
	"errors"
	"io"
	"testing"

	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// begins is the first event of a turn.
func (s *stage) begins(turnID string) {
	s.t.Helper()
	s.logOf(turnID, event.Draft{Type: event.SessionInit, Data: event.Init{Model: "m", TurnID: turnID}})
}

// keyOf is the key of the message for which a turn was taken.
func (s *stage) keyOf(turnID string) string {
	for key, a := range s.m.reducer.adopted {
		if a.turn == turnID {
			return key
		}
	}
	s.t.Fatalf("%s was not taken for the turn of a message", turnID)
	return ""
}

// idle is a chat whose first turn is over.
func idle(t *testing.T, change ...func(*Options)) *stage {
	t.Helper()
	s := newStage(t, change...)
	s.begun()
	s.log(exit(0))
	return s
}

// A turn from elsewhere that begins while a message is on its way is not that of the message.
// Where the session refuses the message then, it comes back with what was said after it.
func TestAnotherTurnBeginsWhileAMessageIsSent(t *testing.T) {
	t.Parallel()
	s := idle(t)
	s.engine.startErr = fault.New(fault.TurnInProgress, "another turn runs")
	first := s.hold("delete the drafts")
	s.say("and then this")
	s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t9", Message: "from Discord"}}
	s.begins("t9")
	s.play(first)
	s.shows("from elsewhere", "▌ from Discord", "▌ delete the drafts", "not sent: another turn runs", "› delete the drafts", "  and then this")
	s.steered()
	s.engine.startErr = nil
	s.logOf("t9", exit(0))
	s.m.editor.take()
	s.say("again")
	s.begins("t2")
	if s.m.outbox.sending != nil || !s.m.reducer.mine["t2"] {
		t.Error("the next turn is not that of the next message")
	}
}

// Where the session begins the message's own turn after that one, the message waits for it.
func TestAnotherTurnBeginsBeforeThatOfTheMessage(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		s := idle(t)
		s.engine.turn = "t2"
		first := s.hold("delete the drafts")
		s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t9", Message: "from Discord"}}
		if late {
			s.begins("t9")
			s.logOf("t9", exit(0))
			s.play(first)
		} else {
			s.play(first)
			s.begins("t9")
			s.logOf("t9", exit(0))
		}
		s.shows("from elsewhere", "▌ from Discord", "▌ delete the drafts")
		if !s.m.working() {
			t.Errorf("late %v: the message does not wait for its turn", late)
		}
		s.begins("t2")
		s.lacks("not sent")
		if s.m.outbox.sending != nil || !s.m.reducer.mine["t2"] || s.m.reducer.mine["t9"] {
			t.Errorf("late %v: mine are %v", late, s.m.reducer.mine)
		}
	}
}

// What was said while a message was on its way goes into its turn, also when only the reply
// was lost.
func TestWhatWaitsForAMessageWhoseReplyIsLost(t *testing.T) {
	t.Parallel()
	s := idle(t)
	s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
	first := s.hold("do it")
	s.say("and keep a copy")
	s.begins("t2")
	s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t2", Message: "do it", Idempotency: &session.Idempotency{Key: s.keyOf("t2")}}}
	s.play(first)
	s.steered(turn.SteerRequest{SessionID: "sess_1", Message: "and keep a copy", Mode: session.Steer})
	s.lacks("not sent")
}

// Where the reply is lost, the transcript tells whether a turn is that of the message, also
// where it has the same words.
func TestAnotherTurnBeginsAndTheReplyIsLost(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"from Discord", "delete the drafts"} {
		s := idle(t)
		s.engine.startErr = &client.Unreached{Address: "http://x", Err: io.ErrUnexpectedEOF}
		first := s.hold("delete the drafts")
		s.say("and then this")
		s.engine.entries = []session.Entry{{Kind: session.EntryTurn, Turn: "t9", Message: words, Idempotency: &session.Idempotency{Key: "of another surface"}}}
		s.begins("t9")
		s.play(first)
		s.shows("from elsewhere", "▌ "+words, "▌ delete the drafts", "not sent: ", "› delete the drafts", "  and then this")
		s.steered()
	}
}

// A message whose turn had ended before the reply came has what waits for it sent as well.
func TestWhatWaitsForATurnThatIsOver(t *testing.T) {
	t.Parallel()
	s := idle(t)
	first := s.hold("do it")
	s.say("and keep a copy")
	s.begins("t2")
	s.logOf("t2", exit(0))
	s.play(first)
	if n := len(s.engine.requests); n != 3 || s.engine.requests[2].Message != "and keep a copy" {
		t.Errorf("sent %v", s.engine.requests)
	}
}

// The failure of a message belongs to the session to which it was sent.
func TestAFailureInASessionThatWasLeft(t *testing.T) {
	t.Parallel()
	s := idle(t, withSessions, func(o *Options) { o.Outlives = true })
	s.engine.startErr = errors.New("the connection was reset")
	old := s.hold("first message")
	s.begins("t2")
	s.say("/session sess_older-one")
	second := s.hold("second message")
	s.play(old)
	s.shows("not sent to the session that you left: first message")
	s.lacks("not sent: ")
	if what := s.m.outbox.sending; what == nil || what.text != "second message" {
		t.Errorf("on its way is %v", what)
	}
	s.engine.startErr = nil
	s.play(second)
	s.begins("t7")
	if !s.m.reducer.mine["t7"] {
		t.Error("the second message has no turn")
	}
}
