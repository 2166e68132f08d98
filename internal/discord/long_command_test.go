package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"belay/internal/bus/contract"
)

// run is a question about a command.
func run(id, command string) *contract.DecisionOpened {
	d := changes(id)
	d.Asks, d.Command, d.Diff, d.Files, d.FileCount = contract.AsksRun, command, "", nil, 0
	return d
}

// The whole of a long command is there for whoever decides, also what stands at its end.
func TestLongCommand(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	command := strings.Repeat("make all; ", 100) + "rm -rf docs"
	w.agent.signal(r.Session, r.Request, run("q1", command))
	q := w.asked(1)
	if len(q.Attachments) != 1 || q.Attachments[0].Filename != "command.txt" || string(w.File(t, q.Attachments[0])) != command {
		t.Errorf("the files are %+v", q.Attachments)
	}
	if !strings.Contains(q.Shown(), "The attached file has the whole command") || len(buttons(q)) != 4 {
		t.Errorf("the question is %q %v", q.Shown(), buttons(q))
	}

	// Where no file may be sent the end is unseen, and nobody allows it there.
	w.ForbidFiles(w.channel, true)
	w.agent.signal(r.Session, r.Request, run("q2", command))
	q = w.asked(2)
	if b := buttons(q); len(b) != 2 || b["Refuse"] == "" || !strings.Contains(q.Content, "cannot be shown whole here") {
		t.Errorf("without a file the question is %q %v", q.Content, b)
	}
}

// A command of which the bus has only a part can be refused here, and allowed elsewhere.
func TestTruncatedCommand(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	d := run("q1", strings.Repeat("make all; ", 100))
	d.CommandTruncated = true
	w.agent.signal(r.Session, r.Request, d)
	q := w.asked(1)
	if b := buttons(q); len(b) != 2 || b["Refuse"] == "" || !strings.Contains(q.Content, "`belay decision show q1`") {
		t.Errorf("the question is %q %v", q.Content, b)
	}
}

// A diff of which the bus has nothing, or only a part, is not taken for the whole.
func TestTruncatedDiff(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	for i, diff := range []string{"", "+one line\n", strings.Repeat("+a line\n", 300)} {
		id := fmt.Sprintf("q%d", i+1)
		d := run(id, "make all")
		d.Diff, d.DiffTruncated = diff, true
		w.agent.signal(r.Session, r.Request, d)
		if q := w.asked(i + 1); !strings.Contains(q.Shown(), "The diff cannot be shown whole here") || !strings.Contains(q.Shown(), "`belay decision show "+id+"`") || allows(q) {
			t.Errorf("with a diff of %d bytes the question is %q", len(diff), q.Shown())
		}
	}
}

// Notes for which there is no room are counted, and are in a file. What the bus has only a part
// of is said first, in the text. A diff that cannot be attached is not seen: nobody allows it.
func TestNotesAndDiffOutOfSight(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	d := changes("q1")
	for range 8 {
		d.Notes = append(d.Notes, "runs by itself: sub/"+strings.Repeat("x", 80)+" is run by git")
	}
	d.Notes = append(d.Notes, "commits 5 new commits to main and moves the branch; hooks changed")
	w.agent.signal(r.Session, r.Request, d)
	q := w.asked(1)
	if !strings.Contains(q.Shown(), "and 5 more notes") || !strings.Contains(w.wholeIn(q, "files.txt"), "hooks changed") || !allows(q) {
		t.Errorf("the question is %q", q.Shown())
	}
	d.DecisionID, d.DiffTruncated = "q2", true
	w.agent.signal(r.Session, r.Request, d)
	if q = w.asked(2); !strings.Contains(q.Content, "The diff cannot be shown whole here") {
		t.Errorf("the text of the question is %q", q.Content)
	}
	w.ForbidFiles(w.channel, true)
	d = changes("q3")
	d.Diff = strings.Repeat("+ one more line\n", 100)
	w.agent.signal(r.Session, r.Request, d)
	if q = w.asked(3); allows(q) || len(buttons(q)) != 2 || !strings.Contains(q.Content, "cannot be shown whole here") {
		t.Errorf("without the diff the question is %q %v", q.Shown(), buttons(q))
	}
}

// What Discord would hide in a question, or show in another order, has a sign.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	d := changes("q1")
	d.Command, d.Summary, d.Output = "echo \u202egnp.exe\u202c", "make\u200ball", "exit\u200b2"
	d.Files[0].Path, d.Diff = "a\u202etxt.md", "--- a\n+++ a\n+x\u2066y\n"
	w.agent.signal(r.Session, r.Request, d)
	q := w.asked(1)
	for _, want := range []string{"echo <U+202E>gnp.exe<U+202C>", "make\\<U+200B\\>all", "exit<U+200B>2", "`a<U+202E>txt.md`", "x<U+2066>y"} {
		if !strings.Contains(q.Shown(), want) {
			t.Errorf("%q is not in the question:\n%s", want, q.Shown())
		}
	}
	if strings.ContainsAny(q.Shown(), "\u202e\u202c\u2066") {
		t.Errorf("hidden characters are in the question:\n%q", q.Shown())
	}
}
