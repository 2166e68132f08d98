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
	d := openRequests(t, dir)
	granted := func(session, agent, command string) bool { return d.Granted(session, agent, bash(t, command)) }
	if granted("sess_1", "WORKING_ITEMS", "make test") {
		t.Error("granted before anybody was asked")
	}
	post(t, d, question("dec_1"))
	_, err := d.Decide(soon(t), "sess_1", "dec_1", VerdictAllowSession, "ann", "")
	must(t, err)
	for want, got := range map[bool][]bool{
		true: {
			granted("sess_1", "WORKING_ITEMS", "make test"),
			openRequests(t, dir).Granted("sess_1", "WORKING_ITEMS", bash(t, "make test")),
		},
		false: {
			granted("sess_2", "WORKING_ITEMS", "make test"), granted("sess_1", "TASK", "make test"),
			granted("sess_1", "WORKING_ITEMS", ""), granted("sess_1", "WORKING_ITEMS", "make test; rm x"),
			granted("../sess_1", "WORKING_ITEMS", "make test"),
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
	if granted("sess_1", "WORKING_ITEMS", "rm x") {
		t.Error("half a line grants")
	}
	rm := question("dec_3")
	rm.Effect.Commands, _, _ = ParseCommand("rm x")
	post(t, d, rm)
	_, err = d.Decide(soon(t), "sess_1", "dec_3", VerdictAllowSession, "ann", "")
	must(t, err)
	if !granted("sess_1", "WORKING_ITEMS", "rm y; make test") {
		t.Error("a grant after half a line is lost")
	}

	waiting := post(t, d, question("dec_4"))
	must(t, d.Forget("sess_1"))
	if granted("sess_1", "WORKING_ITEMS", "make test") {
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
	d := openRequests(t, t.TempDir())
	asked := 0
	for i := range 50 {
		e := bash(t, fmt.Sprintf("ls -l /usr/%d | head -%d", i, i))
		if (Policy{}).Judge(e).Outcome == Allow || d.Granted("sess_1", "TASK", e) {
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

// An answer for the session about what a command changed covers the folders that the
// question named, and files at the top of the project by their names.
func TestGrantsOfChangesAreForTheirFolders(t *testing.T) {
	t.Parallel()
	changed := func(command string, paths ...string) Effect {
		e := bash(t, command)
		e.Deferred, e.Done, e.Paths = true, &Done{Files: len(paths)}, paths
		return e
	}
	d := openRequests(t, t.TempDir())
	r := question("dec_1")
	r.Effect = changed("touch x", "a.txt", "docs/b/one", "docs/two", ".git")
	if got, want := r.Effect.KindOfCall(), "touch, where it changes only ordinary files in .git, a.txt, docs"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	_, err := d.Decide(soon(t), "", post(t, d, r).ID(), VerdictAllowSession, "ann", "")
	must(t, err)
	before := bash(t, "touch x")
	before.Writes = true
	automatic := changed("touch x", "docs/.envrc")
	automatic.Automatic = []string{"docs/.envrc runs"}
	output := changed("touch x", "docs/c", "docs/out/1")
	output.Done.Ignored = []Ignored{{Path: "docs/out", Files: 1}}
	elsewhere := changed("touch x", "docs/c", "out/1")
	elsewhere.Done.Ignored = []Ignored{{Path: "out", Files: 1}}
	for name, tt := range map[string]struct {
		e    Effect
		want bool
	}{
		"the same":            {changed("touch x", "a.txt", "docs/two"), true},
		"deeper":              {changed("touch y", "docs/new/deep/file"), true},
		"another file":        {changed("touch x", "b.txt"), false},
		"another folder":      {changed("touch x", "docs/two", "src/c"), false},
		"a folder of a name":  {changed("touch x", "docsy/two"), false},
		"another program":     {changed("rm x", "docs/two"), false},
		"two programs":        {changed("touch x; rm x", "docs/two"), false},
		"nothing":             {changed("touch x"), false},
		"before it ran":       {before, false},
		"runs by itself":      {automatic, false},
		"ignored, in it":      {output, true},
		"ignored, not in it":  {elsewhere, false},
		"a folder by itself":  {changed("touch x", "docs/empty/"), true},
		"a folder at the top": {changed("touch x", "new/"), false},
	} {
		if got := d.Granted("sess_1", "WORKING_ITEMS", tt.e); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// An answer names no more folders than a person reads: many stand for those at the top,
// and too many of these are not offered.
func TestManyFoldersOfAGrant(t *testing.T) {
	t.Parallel()
	e := bash(t, "touch x")
	e.Done = &Done{}
	for i := range 30 {
		e.Paths = append(e.Paths, fmt.Sprintf("src/%d/a", i))
	}
	if got, want := e.KindOfCall(), "touch, where it changes only ordinary files in src"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 30 {
		e.Paths = append(e.Paths, fmt.Sprintf("%d/a", i))
	}
	if got := e.Classes(); got != nil {
		t.Errorf("%q", got)
	}
}
