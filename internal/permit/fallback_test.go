package permit

import (
	"strings"
	"testing"
)

// A command that changes the project while it runs is asked about in every mode, and
// none but plan refuses it. A rule allows it, unless there is a doubt: then only a
// person does.
//
// Covers: turn-api REQ-04
func TestCommandsThatWriteAtOnce(t *testing.T) {
	t.Parallel()
	e := bash(t, "cat notes.txt")
	e.Writes = true
	doubted := e
	doubted.Doubt = "an earlier command changed _STATUS.md"
	allowed := rules(t, "bash")
	for mode, want := range map[Mode]Outcome{Direct: Ask, AcceptEdits: Ask, DontAsk: Refuse, Plan: Refuse} {
		if got := (Policy{Mode: mode}).Judge(e); got.Outcome != want {
			t.Errorf("%s: %+v", mode, got)
		}
		if mode == Plan {
			continue
		}
		if got := (Policy{Mode: mode, Allowed: allowed}).Judge(e); got.Outcome != Allow {
			t.Errorf("%s, with a rule: %+v", mode, got)
		}
		got := (Policy{Mode: mode, Allowed: allowed}).JudgeWith(doubted, HookAnswer{Verdict: HookAllow})
		if got.Outcome != want || !strings.Contains(got.Reason, doubted.Doubt) {
			t.Errorf("%s, with a doubt: %+v", mode, got)
		}
	}
	if got := doubted.Classes(); got != nil {
		t.Errorf("a command with a doubt can be allowed for the session: %q", got)
	}
}

// For one that can change nothing nobody is asked, whatever its text says.
//
// Covers: turn-api REQ-04
func TestCommandsThatCannotWrite(t *testing.T) {
	t.Parallel()
	e := bash(t, "$X; make > Makefile")
	e.Deferred = true
	for _, mode := range []Mode{Direct, AcceptEdits, DontAsk, Plan} {
		if got := (Policy{Mode: mode}).Judge(e); got.Outcome != Allow {
			t.Errorf("%s: %+v", mode, got)
		}
	}
}
