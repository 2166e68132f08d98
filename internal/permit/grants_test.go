package permit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"belay/internal/fault"
)

// Covers: turn-api REQ-04
func TestGrantsAreForOneAgentInOneSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDesk(t, dir)
	classes := question("").Effect.Classes()
	granted := func(session, agent string, classes ...string) bool { return d.Granted(session, agent, classes) }
	if granted("sess_1", "WORKING_ITEMS", classes...) {
		t.Error("granted before anybody was asked")
	}
	post(t, d, question("dec_1"))
	_, err := d.Decide(soon(t), "sess_1", "dec_1", VerdictAllowSession, "ann", "")
	must(t, err)
	for want, got := range map[bool][]bool{
		true: {
			granted("sess_1", "WORKING_ITEMS", classes...),
			openDesk(t, dir).Granted("sess_1", "WORKING_ITEMS", classes),
		},
		false: {
			granted("sess_2", "WORKING_ITEMS", classes...), granted("sess_1", "TASK", classes...),
			granted("sess_1", "WORKING_ITEMS"), granted("sess_1", "WORKING_ITEMS", append(classes, "bash rm")...),
			granted("../sess_1", "WORKING_ITEMS", classes...),
		},
	} {
		for i, g := range got {
			if g != want {
				t.Errorf("granted, case %d of those that should be %v: %v", i, want, g)
			}
		}
	}

	// What cannot be told from other calls is not offered for a session.
	opaque := question("dec_2")
	opaque.Effect.Opaque = true
	if p := post(t, d, opaque); p.Request.Session {
		t.Error("a session-wide answer is offered for an opaque command")
	}
	_, err = d.Decide(soon(t), "sess_1", "dec_2", VerdictAllowSession, "ann", "")
	faulty(t, "a session-wide answer that is not offered", err, fault.InvalidRequest)

	// A line that a crash cut is no grant, and the next one is whole.
	name := filepath.Join(dir, grantFile("sess_1"))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"agent":"WORKING_ITEMS","class":"bash rm"`)
	must(t, err)
	must(t, f.Close())
	if granted("sess_1", "WORKING_ITEMS", "bash rm") {
		t.Error("half a line grants")
	}
	rm := question("dec_3")
	rm.Effect.Commands, _, _ = ParseCommand("rm x")
	post(t, d, rm)
	_, err = d.Decide(soon(t), "sess_1", "dec_3", VerdictAllowSession, "ann", "")
	must(t, err)
	if !granted("sess_1", "WORKING_ITEMS", "bash rm", "bash make test") {
		t.Error("a grant after half a line is lost")
	}

	waiting := post(t, d, question("dec_4"))
	must(t, d.Forget("sess_1"))
	if granted("sess_1", "WORKING_ITEMS", classes...) {
		t.Error("a deleted session's grants live on")
	}
	if got, err := waiting.Wait(soon(t)); err != nil || got.Allowed() {
		t.Errorf("who waits for a deleted session gets %+v, %v", got, err)
	}
	_, err = d.Decide(soon(t), "sess_1", "dec_3", VerdictAllow, "ann", "")
	faulty(t, "a deleted session's question", err, fault.NotFound)
}

// Fifty calls of one kind, each with other arguments, are asked about once.
//
// Covers: turn-api REQ-04
func TestOneKindIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	d := openDesk(t, t.TempDir())
	asked := 0
	for i := range 50 {
		e := bash(t, fmt.Sprintf("ls -l /usr/%d | head -%d", i, i))
		if (Policy{}).Judge(e).Outcome == Allow || d.Granted("sess_1", "TASK", e.Classes()) {
			continue
		}
		asked++
		r := question("")
		r.Effect, r.Agent = e, "TASK"
		_, err := d.Decide(soon(t), "", post(t, d, r).ID(), VerdictAllowSession, "ann", "")
		must(t, err)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
