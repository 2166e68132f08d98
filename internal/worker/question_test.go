package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/bus/contract"
	"belay/internal/fault"
	"belay/internal/permit"
)

const asking = `
turns:
  - when: change
    steps:
      - say: "I change it. "
      - call: {name: write, input: {path: notes.md, content: "new\n"}}
      - say: "Changed."
`

// question waits for the question of a request.
func (r *rig) question(request string) *contract.DecisionOpened {
	r.t.Helper()
	all := r.signals("question-"+request, func(m contract.Message) bool { return m.Envelope.Request == request }, contract.TypeDecisionOpened)
	return all[len(all)-1].Payload.(*contract.DecisionOpened)
}

func (r *rig) closed(request string) *contract.DecisionClosed {
	r.t.Helper()
	all := r.signals("closed-"+request, func(m contract.Message) bool { return m.Envelope.Request == request }, contract.TypeDecisionClosed)
	return all[len(all)-1].Payload.(*contract.DecisionClosed)
}

func TestQuestionIsAnsweredOverTheBus(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), asking)
	s, other := r.session(), r.session()
	r.ask(s, "r1", contract.QueuePrompt, "change")
	q := r.question("r1")
	if q.Asks != contract.AsksChanges || q.Tool != "write" || !strings.Contains(q.Diff, "+new") || !q.Session ||
		len(q.Files) != 1 || q.Files[0] != (contract.ChangedFile{Path: "notes.md", Class: contract.ClassOrdinary}) {
		t.Errorf("question: %+v", q.Decision)
	}
	n := int64(0)
	for m, err := range r.client.Output(r.ctx(), s, "r1", 0) {
		must(t, err)
		if n = m.Seq; n == q.After { // the text and the call
			break
		}
	}
	if q.After < 2 || n != q.After {
		t.Errorf("it is after output %d", q.After)
	}
	state, err := r.client.Status(r.ctx(), s)
	must(t, err)
	if len(state.Open) != 1 || state.Open[0].DecisionID != q.DecisionID || state.Open[0].Diff != q.Diff {
		t.Errorf("status: %+v", state.Open)
	}
	answer := &contract.DecisionAnswer{DecisionID: q.DecisionID, Verdict: contract.VerdictAllow, By: "discord:42", Note: "go on"}
	if _, err := r.client.Answer(r.ctx(), other, answer); !isFault(err, fault.NotFound) {
		t.Errorf("answered from another session: %v", err)
	}
	a, err := r.client.Answer(r.ctx(), s, answer)
	must(t, err)
	if a.By != "discord:42" || a.Verdict != contract.VerdictAllow || a.Time.IsZero() {
		t.Errorf("answer: %+v", a)
	}
	if _, err := r.client.Answer(r.ctx(), s, answer); !isFault(err, fault.DecisionClosed) {
		t.Errorf("answered twice: %v", err)
	}
	if e := r.end(s, "r1"); e.FinalText != "I change it. \n\nChanged." {
		t.Errorf("end: %+v", e)
	}
	if c := r.closed("r1"); c.DecisionID != q.DecisionID || c.By != "discord:42" || c.Verdict != contract.VerdictAllow || c.Note != "go on" {
		t.Errorf("closed: %+v", c)
	}
	text, err := os.ReadFile(filepath.Join(r.project, "notes.md"))
	if string(text) != "new\n" {
		t.Errorf("the file: %q, %v", text, err)
	}
}

// A question that somebody answers on another surface is closed for all.
func TestQuestionAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	r := openRig(t, t.TempDir(), asking)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "change")
	q := r.question("r1")
	_, err := r.engine.Decide(r.ctx(), decide(s, q.DecisionID, permit.VerdictDeny, "page"))
	must(t, err)
	if c := r.closed("r1"); c.By != "page" || c.Verdict != contract.VerdictDeny {
		t.Errorf("closed: %+v", c)
	}
	if e := r.end(s, "r1"); e.State != contract.StateResolved || !strings.Contains(e.Note, "1 call refused") {
		t.Errorf("end: %+v", e)
	}
}

// The server stops while a question waits. The next one closes it with the answer, and
// its output goes on after the last message.
func TestQuestionOutlivesTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := openRig(t, dir, asking)
	s := r.session()
	r.ask(s, "r1", contract.QueuePrompt, "change")
	q := r.question("r1")
	must(t, r.close())

	r = openRig(t, dir, asking)
	must(t, r.local.Recovery.Resume(context.Background(), s))
	_, err := r.client.Answer(r.ctx(), s, &contract.DecisionAnswer{DecisionID: q.DecisionID, Verdict: contract.VerdictAllow, By: "discord:42"})
	must(t, err)
	const want = "text, write start, output.warning, write end, text, output.response.text" // it says that it went on
	if got := kinds(r.output(s, "r1")); got != want {
		t.Errorf("output:\n%s\nwant:\n%s", got, want)
	}
	if c := r.closed("r1"); c.By != "discord:42" {
		t.Errorf("closed: %+v", c)
	}
	if n := r.calls.Load(); n != 0 {
		t.Errorf("the request began %d more turns", n)
	}
}

// What a question shows is what people decide about, in the bounds of a message.
func TestDecisionOfAnEffect(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", contract.MaxCommand+1)
	for name, c := range map[string]struct {
		effect permit.Effect
		is     func(contract.Decision) bool
	}{
		"a command that ended": {permit.Effect{
			Tool: "bash", Kind: permit.Execute, Command: "make", Paths: []string{".git/hooks/x", "Makefile", "a", ".git"},
			Automatic: []string{".git/hooks/x runs with git", "sub/.git/config names programs"}, OnRequest: []string{"Makefile runs with make"},
			Repositories: []permit.Repository{{Path: ".git", Does: []string{"1 commit on main"}}},
			Done:         &permit.Done{Files: 9, Output: "exit code 1", Failed: true, Ignored: []permit.Ignored{{Path: "node_modules", Files: 1204}}},
		}, func(d contract.Decision) bool {
			return d.Asks == contract.AsksChanges && d.Failed && d.FileCount == 3 && len(d.Files) == 3 &&
				d.Files[0] == contract.ChangedFile{Path: ".git/hooks/x", Class: contract.ClassRunsByItself, Reason: "runs with git"} &&
				d.Files[1].Class == contract.ClassRunsOnRequest && d.Files[2].Class == contract.ClassOrdinary &&
				strings.Join(d.Notes, "; ") == "runs by itself: sub/.git/config names programs; 1 commit on main; 1204 files that git ignores: node_modules"
		}},
		"a command that waits": {permit.Effect{Tool: "bash", Kind: permit.Execute, Outside: true, Why: "to push"}, func(d contract.Decision) bool { return d.Asks == contract.AsksRun && d.Outside && d.Why == "to push" }},
		"a host":               {permit.Effect{Tool: "bash", Kind: permit.Network, Hosts: []string{"example.org"}}, func(d contract.Decision) bool { return d.Asks == contract.AsksHost && d.Hosts[0] == "example.org" }},
		"a command without end": {permit.Effect{Tool: "bash", Kind: permit.Execute, Command: long, Diff: long}, func(d contract.Decision) bool {
			return d.CommandTruncated && d.DiffTruncated && len(d.Command) == contract.MaxCommand
		}},
		"a note without end": {permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make", Automatic: []string{long}}, func(d contract.Decision) bool {
			return d.CommandTruncated && d.Command == "make" && len(d.Notes[0]) == maxNote
		}},
		"a summary without end":    {permit.Effect{Tool: "web", Kind: permit.Network, Summary: long}, func(d contract.Decision) bool { return d.CommandTruncated && len(d.Summary) == maxNote }},
		"a summary of a command":   {permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make", Summary: long}, func(d contract.Decision) bool { return !d.CommandTruncated }},
		"a host without end":       {permit.Effect{Tool: "bash", Kind: permit.Network, Hosts: []string{long}}, func(d contract.Decision) bool { return d.CommandTruncated }},
		"signs that are not valid": {permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make", Automatic: []string{strings.Repeat("\xffx", maxNote/3)}}, func(d contract.Decision) bool { return d.CommandTruncated }},
	} {
		d := decision(permit.Request{ID: "dec_1", Effect: c.effect, Created: noon})
		if _, err := contract.Encode(contract.Envelope{ID: "1", Request: "r", Session: "s"}, &contract.DecisionOpened{Decision: d}); err != nil || !c.is(d) {
			t.Errorf("%s: %v, %+v", name, err, d)
		}
	}
}

// A question to send files names all of them with their sizes, also where the beginnings of
// their contents leave no room.
func TestDecisionAboutManyFiles(t *testing.T) {
	t.Parallel()
	e := permit.Effect{Tool: "attachment.add", Kind: permit.Publish, Publication: &permit.Publication{Destination: "a channel"}}
	for i := range 60 {
		p := fmt.Sprintf("out/%d.txt", i)
		e.Paths = append(e.Paths, p)
		e.Publication.Files = append(e.Publication.Files, permit.Published{Path: p, Name: fmt.Sprintf("%d.txt", i), Bytes: 7, Preview: "one\ntwo"})
	}
	d := decision(permit.Request{ID: "dec_1", Effect: e, Created: noon})
	if d.CommandTruncated || d.FileCount != 60 || len(d.Files) != 60 || d.Files[59] != (contract.ChangedFile{Path: "out/59.txt", Class: contract.ClassOrdinary, Bytes: 7}) ||
		len(d.Notes) != 61 || !strings.HasPrefix(d.Notes[60], "59.txt") {
		t.Errorf("%+v", d)
	}
	for range 101 {
		e.Hosts = append(e.Hosts, strings.Repeat("a.", 120)+"example.org:65535")
	}
	if d = decision(permit.Request{ID: "dec_1", Effect: e, Created: noon}); !d.CommandTruncated || d.Hosts[0] != e.Hosts[0] {
		t.Errorf("hosts are left out without a sign, or cut: %q", d.Hosts[0])
	}
}
