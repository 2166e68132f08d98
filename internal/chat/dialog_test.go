package chat

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/turn"
)

// asks is a question that has been on the screen for long enough to be read.
func (s *stage) asks(drafts ...event.Draft) { s.t.Helper(); s.log(drafts...); s.pass(quiet) }

func TestOneKeyDecides(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]turn.DecisionRequest{
		"y": {Verdict: permit.VerdictAllow},
		"s": {Verdict: permit.VerdictAllowSession},
		"n": {Verdict: permit.VerdictDeny},
	} {
		s := newStage(t)
		s.begun()
		s.pass(time.Second)
		s.asks(question("d1")...)
		s.shows("WORKING_ITEMS wants to use bash", "$ rm -rf docs", "in    src", "files docs", "may reach the network", "no rule allows it", "y allow")
		s.press(key, key)
		want.SessionID, want.DecisionID, want.By = "sess_1", "d1", "ann"
		if diff := cmp.Diff([]turn.DecisionRequest{want}, s.engine.answers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
		s.shows("answered…")
		s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d1", ToolCallID: "cd1", Verdict: string(want.Verdict), By: "ann"}})
		s.lacks("wants to use")
		s.shows("by ann")
	}
}

// Of what a command changed, a person can pick files.
func TestAllowingSomeFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	q := question("d1")
	asked := q[1].Data.(event.Permission)
	e := asked.Effect.(permit.Effect)
	e.Paths, e.Done = []string{"a.txt", "src/b.go", "src/c.go"}, &permit.Done{Files: 3}
	asked.Effect = e
	q[1].Data = asked
	s.asks(q...)
	s.shows("o allow only some files")
	s.press("o")
	s.shows("1     a.txt", "3     src/c.go", "only files:")
	s.fits()
	s.press("9", "enter")
	s.shows("none of the 3 files is \"9\"")
	s.press("backspace", "1", ",", "*.go", "enter")
	s.decided(turn.DecisionRequest{SessionID: "sess_1", DecisionID: "d1", Verdict: permit.VerdictAllow, By: "ann", Only: []string{"a.txt", "src/b.go", "src/c.go"}})
}

func TestDenyingWithANote(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.asks(question("d1")...)
	s.press("N", "too ", "ri")
	s.send(tea.PasteMsg{Content: "sk\ny"})
	s.press("backspace", "backspace", "y", "backspace", "y", "backspace")
	s.shows("why not? too risk")
	s.fits()
	s.press("y", "enter")
	s.decided(turn.DecisionRequest{SessionID: "sess_1", DecisionID: "d1", Verdict: permit.VerdictDeny, By: "ann", Note: "too risky"})
}

// A question without a limit is there until it is answered.
func TestAQuestionWithoutALimit(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	q := question("d1")
	asked := q[1].Data.(event.Permission)
	asked.ExpiresAt = time.Time{}
	q[1].Data = asked
	s.log(q...)
	s.pass(1000 * time.Hour)
	s.shows("WORKING_ITEMS wants to use bash", "y allow")
	s.lacks(" left")
}

// The limit of a question is one of the engine's clock, which this machine's may be far from.
func TestAQuestionWithALimitByAnotherClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		s := newStage(t)
		s.begun()
		asked := question("d1")
		of := asked[1].Data.(event.Permission)
		of.ExpiresAt = s.now.Add(time.Minute)
		asked[1].Data = of
		s.m.dialog.clock = engineClock{own: s.m.o.Clock}
		told := s.told("t1", asked...)
		s.now = s.now.Add(off)
		s.send(told)
		s.pass(time.Second)
		if !s.m.dialog.has() {
			s.press("tab")
		}
		s.shows("WORKING_ITEMS wants to use bash", "59 s left")
		s.pass(time.Minute + stopPatience)
		s.lacks("WORKING_ITEMS wants to use bash")
	}
}

// A clock that is set while a chat is open is compared anew.
func TestEngineClockIsComparedAnew(t *testing.T) {
	t.Parallel()
	real := noon
	off := -10 * time.Minute
	c := engineClock{own: func() time.Time { return real.Add(off) }}
	for _, off = range []time.Duration{-10 * time.Minute, 0, time.Hour, 0} {
		real = real.Add(comparedFor + time.Second)
		c.compare(real.Add(-time.Second))
		if got := c.now().Sub(real); got < -time.Second || got > 0 {
			t.Errorf("with a clock that is off by %v the engine's is off by %v", off, got)
		}
	}
}

// A question that comes up while somebody types must not be answered by what they
// were typing.
func TestTypingDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.press("do ")
	s.log(question("d1")...)
	s.press("yes", "n")
	s.pass(time.Hour / 2)
	s.press("y")
	s.shows("› do yesny", "Tab answers it")
	s.answersOnlyAfterTab("y")
}

// A question may come in the moment in which somebody begins to type. What they type is no
// answer to what they have not read.
func TestAQuestionThatNobodyHasRead(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.log(question("d1")...)
	s.pass(quiet - time.Millisecond)
	s.press("yes, but")
	s.shows("› yes, but", "Tab answers it")
	s.answersOnlyAfterTab("y") // who gives it the keys has seen it, however soon
}

// typeSlowly types with pauses that are shorter than [quiet] and together longer.
func (s *stage) typeSlowly(text string) {
	s.t.Helper()
	for _, r := range text {
		s.press(string(r))
		s.pass(quiet / 4)
	}
}

// A reason that somebody types while their question is closed is no answer to the next one,
// however long they type on, and Enter sends nothing. What they had typed is not lost.
func TestAReasonIsForOneQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.press("a draft")
	s.asks(append(question("d1"), question("d2")...)...)
	s.press("tab", "N")
	s.typeSlowly("no: ")
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d1", Verdict: "deny", By: "bob"}})
	s.typeSlowly("ask any of us first")
	s.press("enter")
	s.decided()
	s.steered()
	s.shows("before you had written why not:", "  no:", "› a draft")
	s.pass(time.Second)
	s.press("n")
	s.decided(turn.DecisionRequest{SessionID: "sess_1", DecisionID: "d2", Verdict: permit.VerdictDeny, By: "ann"})
}

// Where no other question waits the reason is written on in the editor, unless it would be a command there.
func TestAReasonForAQuestionThatIsClosed(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"because ": "because it is", "!": "it is"} { //nolint:gocritic // the blank is typed
		for _, last := range []event.Draft{exit(1), {Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d1", Verdict: "deny", By: "bob"}}} {
			s := newStage(t)
			s.begun()
			s.pass(time.Second)
			s.asks(question("d1")...)
			s.press("N", reason)
			s.log(last)
			s.typeSlowly("it is")
			if got := s.m.editor.text(); got != want {
				t.Errorf("%q: the editor has %q", reason, got)
			}
		}
	}
}

// Who begins to write while a question has the keys means no answer by the letters
// that follow; nor does who pastes.
func TestWritingTakesTheKeysFromAQuestion(t *testing.T) {
	t.Parallel()
	for _, paste := range []bool{false, true} {
		s := newStage(t)
		s.begun()
		s.pass(time.Second)
		s.asks(question("d1")...)
		s.shows("y allow")
		if paste {
			s.send(tea.PasteMsg{Content: "wh"})
			s.press("y not?")
		} else {
			s.press("why not?")
		}
		s.shows("› why not?", "Tab answers it")
		s.press("enter")
		if len(s.engine.steers) != 1 {
			t.Errorf("steered %v", s.engine.steers)
		}
		s.answersOnlyAfterTab("n")
	}
}

// The next question is not answered by a second press of the same key.
func TestQuestionsAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	s.asks(append(question("d1"), question("d2")...)...)
	s.shows("1 of 2 questions")
	s.press("y")
	s.log(event.Draft{Type: event.PermissionGiven, Data: event.Verdict{DecisionID: "d1", Verdict: "allow"}})
	s.press("y")
	if len(s.engine.answers) != 1 {
		t.Errorf("answered %v", s.engine.answers)
	}
	s.lacks("› y")
	s.pass(time.Second)
	s.press("y")
	if len(s.engine.answers) != 2 {
		t.Errorf("answered %v", s.engine.answers)
	}
}

// A long question is read by lines or by pages, and the editor's keys are not its.
func TestALongQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	all := question("d1")
	p := all[1].Data.(event.Permission)
	p.Effect = permit.Effect{Tool: "write", Diff: "@@ -0,0 +1,40 @@\n" + strings.Repeat("+a line\n", 39) + "+the last\n"}
	all[1].Data = p
	s.log(all...)
	s.shows("more lines (↓, PgDn)")
	s.lacks("the last")
	for range 5 {
		s.press("pgdown")
	}
	s.shows("the last")
	s.lacks("more lines (")
	s.press("pgup", "pgup", "pgup", "pgup", "pgup", "up")
	s.shows("@@ -0,0 +1,40 @@")
	s.fits()
}

// All of a long line can be read before the answer, and no part of it passes for a
// line of its own.
func TestALongLineInAQuestion(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begun()
	s.pass(time.Second)
	all := question("d1")
	p := all[1].Data.(event.Permission)
	p.Effect = permit.Effect{Tool: "write", Diff: "@@ -0,0 +1,1 @@\n+begins" + strings.Repeat(" ", 400) + "+ends with 漢字\n"}
	all[1].Data = p
	s.log(all...)
	s.shows("+begins", "↳ ")
	s.press("pgdown", "pgdown")
	s.shows("↳ ", "+ends with 漢字")
	s.lacks("│ +ends")
	s.fits()
}

// What a question cannot hold of a diff is somewhere, and it says where.
func TestAVeryLongQuestion(t *testing.T) {
	t.Parallel()
	lines := render.WholeDiff(render.NewLook(), strings.Repeat("+a\n", render.WholeLines+7), 80, render.WholeLines, ": belay decision show dec_1")
	if last := lines[len(lines)-1]; len(lines) != render.WholeLines+1 || !strings.Contains(last, "… 7 more lines of the change: belay decision show dec_1") {
		t.Errorf("%d lines, the last %q", len(lines), last)
	}
}

func TestAnAnswerThatComesTooLate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.engine.decideErr = fault.New(fault.DecisionClosed, "somebody was faster")
	s.begun()
	s.pass(time.Second)
	s.asks(question("d1")...)
	s.press("y")
	s.shows("somebody was faster")
	s.lacks("wants to use")

	s = newStage(t)
	s.engine.decideErr = errors.New("the disk is on fire")
	s.begun()
	s.pass(time.Second)
	s.asks(question("d1")...)
	s.press("y")
	s.shows("the disk is on fire", "y allow")                             // and can be tried again
	_ = s.m.answered(connected{log: s.m.follower.log, stream: &silent{}}) // it is not read
	s.lacks("the disk is on fire")                                        // there is a connection again
}
