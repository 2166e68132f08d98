package permit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/fault"
)

// question asks about a command of one class.
func question(id string) Request {
	cmds, _, _ := ParseCommand("make test")
	return Request{
		ID: id, SessionID: "sess_1", TurnID: "turn_1", ToolCallID: "call_1", Agent: "WORKING_ITEMS", Session: true,
		Effect: Effect{Tool: "bash", Kind: Execute, Summary: "make test", Command: "make test", Commands: cmds}, Reason: "no rule allows it",
	}
}

func openRequests(t testing.TB, dir string, change ...func(*RequestsOptions)) *Requests {
	t.Helper()
	o := RequestsOptions{Dir: dir, Poll: 5 * time.Millisecond}
	for _, f := range change {
		f(&o)
	}
	d, err := OpenRequests(o)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func post(t testing.TB, d *Requests, r Request) *Pending {
	t.Helper()
	p, err := d.Post(soon(t), r)
	must(t, err)
	return p
}

// faulty reports whether err is a wire error of a type.
func faulty(t testing.TB, what string, err error, want fault.Type) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// Covers: turn-api REQ-04
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	audit, err := OpenAudit(filepath.Join(dir, "audit.jsonl"), nil)
	must(t, err)
	d := openRequests(t, dir, func(o *RequestsOptions) { o.Audit = audit })
	other := openRequests(t, dir)
	p := post(t, d, question("dec_1"))
	post(t, d, question("dec_2"))

	open, err := other.List(soon(t), "sess_1")
	if err != nil || len(open) != 2 || open[0].ID != "dec_1" || open[0].Effect.Command != "make test" || !open[0].Session {
		t.Errorf("the open questions are %+v, %v", open, err)
	}
	if open, err := d.List(soon(t), "sess_2"); err != nil || len(open) != 0 {
		t.Errorf("another session's questions are %v, %v", open, err)
	}

	_, err = other.Decide(soon(t), "sess_2", "dec_1", VerdictAllow, "eve", "")
	faulty(t, "another session", err, fault.NotFound)
	_, err = other.Decide(soon(t), "sess_1", "../dec_1", VerdictAllow, "eve", "")
	faulty(t, "an id with a slash", err, fault.NotFound)
	_, err = other.Decide(soon(t), "sess_1", "dec_3", VerdictAllow, "eve", "")
	faulty(t, "an unknown id", err, fault.NotFound)
	_, err = other.Decide(soon(t), "sess_1", "dec_1", "maybe", "e\nve", strings.Repeat("x", maxNote+1))
	faulty(t, "three faults", err, fault.InvalidRequest)
	if err == nil || !strings.Contains(err.Error(), "2 more") {
		t.Errorf("three faults: %v, want all told", err)
	}

	dec, err := d.Decide(soon(t), "sess_1", "dec_1", VerdictAllow, "ann", "fine\n")
	if err != nil || !dec.Allowed() || dec.Note != "fine" {
		t.Errorf("the answer is %+v, %v", dec, err)
	}
	for _, again := range []*Requests{d, other} {
		_, err = again.Decide(soon(t), "sess_1", "dec_1", VerdictDeny, "bob", "")
		faulty(t, "a second answer", err, fault.DecisionClosed)
		if f := fault.From(err); f.Details["by"] != "ann" || f.Details["verdict"] != VerdictAllow {
			t.Errorf("the second answer is told %v", f.Details)
		}
	}
	if got, err := p.Wait(soon(t)); err != nil || !reflect.DeepEqual(got, dec) {
		t.Errorf("the asker got %+v, %v, want %+v", got, err, dec)
	}
	if got, ok, err := other.Verdict("dec_1"); err != nil || !ok || !reflect.DeepEqual(got, dec) {
		t.Errorf("Verdict = %+v, %v, %v", got, ok, err)
	}
	if open, err := d.List(soon(t), ""); err != nil || len(open) != 1 || open[0].ID != "dec_2" {
		t.Errorf("still open: %v, %v", open, err)
	}
	if n, err := audit.Verify(soon(t)); n != 1 || err != nil {
		t.Errorf("the audit log has %d lines, %v", n, err)
	}
}

// Of any number of answers from any number of processes exactly one counts.
func TestOneProcessWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openRequests(t, dir)
	for round := range 2 {
		id := fmt.Sprintf("dec_%v", round)
		p := post(t, d, question(id))
		children := make([]*child, 4)
		for i := range children {
			verdict := VerdictDeny
			if i%2 == 0 {
				verdict = VerdictAllow
			}
			children[i] = start(t, "decide", dir, id, string(verdict))
		}
		for _, c := range children {
			c.hear(t)
		}
		for _, c := range children {
			_, err := fmt.Fprintln(c.in, "go")
			must(t, err)
		}
		won := -1
		for i, c := range children {
			switch said := c.hear(t); {
			case said == "won" && won >= 0:
				t.Errorf("%d and %d won", won, i)
			case said == "won":
				won = i
			case !strings.Contains(said, string(fault.DecisionClosed)):
				t.Errorf("a loser was told %s", said)
			}
		}
		got, err := p.Wait(soon(t))
		if err != nil || won < 0 || got.Allowed() != (won%2 == 0) {
			t.Errorf("process %d won and the asker got %+v, %v", won, got, err)
		}
	}
}

// The process that asked dies; the question stays, and so does its answer.
func TestAQuestionOutlivesItsAsker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, "ask", dir, "dec_1")
	c.hear(t)
	c.kill()

	d := openRequests(t, dir)
	open, err := d.List(soon(t), "sess_1")
	if err != nil || len(open) != 1 || open[0].PID != c.cmd.Process.Pid {
		t.Fatalf("after the death: %+v, %v", open, err)
	}
	p, ok, err := d.Reopen("dec_1")
	if err != nil || !ok {
		t.Fatalf("Reopen: %v, %v", ok, err)
	}
	if _, ok, err := d.Verdict("dec_1"); ok || err != nil {
		t.Errorf("there is an answer already: %v", err)
	}
	answerer := start(t, "decide", dir, "dec_1", "allow")
	answerer.hear(t)
	_, err = fmt.Fprintln(answerer.in, "go")
	must(t, err)
	if got, err := p.Wait(soon(t)); err != nil || got.Verdict != VerdictAllow || got.By != "child" {
		t.Errorf("the one who took it up got %+v, %v", got, err)
	}
	if _, ok, err := d.Reopen("dec_1"); ok || err != nil {
		t.Errorf("an answered question can be taken up: %v, %v", ok, err)
	}
}

// Covers: turn-api REQ-04
func TestNoAnswerIsADenial(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := &clock{now: time.Now()}
	opts := func(o *RequestsOptions) { o.Clock, o.Timeout = clock.Now, time.Minute }
	d := openRequests(t, dir, opts)
	p := post(t, d, question("dec_1"))
	post(t, d, question("dec_2"))

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's own end: %v", err)
	}
	clock.add(time.Minute)
	if got, ok, err := d.Verdict("dec_1"); !ok || err != nil || got.Allowed() || !got.Timeout {
		t.Errorf("Verdict = %+v, %v, %v", got, ok, err)
	}
	if open, err := d.List(soon(t), ""); err != nil || len(open) != 0 {
		t.Errorf("still open: %v, %v", open, err)
	}
	_, err := d.Decide(soon(t), "", "dec_1", VerdictAllow, "late", "")
	faulty(t, "a late answer", err, fault.DecisionClosed)
	if got, err := p.Wait(soon(t)); err != nil || got.Allowed() || !got.Timeout {
		t.Errorf("the asker got %+v, %v", got, err)
	}

	// The other question is denied by anyone who comes next, and forgotten in time.
	next := openRequests(t, dir, opts)
	if _, err := os.Stat(filepath.Join(dir, verdictFile("dec_2"))); err != nil {
		t.Errorf("nobody denied the other question: %v", err)
	}
	clock.add(kept + time.Minute)
	must(t, next.Sweep(soon(t)))
	if _, ok, err := next.Verdict("dec_2"); ok || err != nil {
		t.Errorf("after a month: %v, %v", ok, err)
	}
}

// A question without a limit waits however long it takes, also for a process that
// opens the store later. An asker's own limit counts beside the store's: the sooner
// of the two.
func TestAQuestionWaitsForAPerson(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := &clock{now: time.Now().UTC()}
	d := openRequests(t, dir, func(o *RequestsOptions) { o.Clock = clock.Now })
	p := post(t, d, question("dec_1"))
	data, err := os.ReadFile(filepath.Join(dir, questionFile("dec_1")))
	must(t, err)
	if !p.Request.Expires.IsZero() || strings.Contains(string(data), "expires") {
		t.Errorf("the question has an end: %s", data)
	}
	limited := question("dec_2")
	limited.Expires = clock.Now().Add(time.Hour)
	if q := post(t, d, limited); !q.Request.Expires.Equal(limited.Expires) {
		t.Errorf("the asker's limit became %v", q.Request.Expires)
	}
	short := openRequests(t, dir, func(o *RequestsOptions) { o.Clock, o.Timeout = clock.Now, time.Minute })
	limited.ID = "dec_3"
	if q := post(t, short, limited); !q.Request.Expires.Equal(clock.Now().Add(time.Minute)) {
		t.Errorf("of two limits the later counts: %v", q.Request.Expires)
	}

	clock.add(1000 * time.Hour)
	next := openRequests(t, dir, func(o *RequestsOptions) { o.Clock = clock.Now })
	if open, err := next.List(soon(t), ""); err != nil || len(open) != 1 || open[0].ID != "dec_1" {
		t.Fatalf("what waits is %v, %v", open, err)
	}
	_, err = next.Decide(soon(t), "", "dec_1", VerdictAllow, "ann", "")
	must(t, err)
	if got, err := p.Wait(soon(t)); err != nil || !got.Allowed() {
		t.Errorf("the asker got %+v, %v", got, err)
	}
}

// The audit log reports which effect was decided about, not only its summary.
func TestTheAuditLogProvesTheEffect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	audit, err := OpenAudit(path, nil)
	must(t, err)
	d := openRequests(t, dir, func(o *RequestsOptions) { o.Audit = audit })
	r := question("dec_1")
	r.Effect.Diff = strings.Repeat("+ line\n", 1000)
	post(t, d, r)
	_, err = d.Decide(soon(t), "", "dec_1", VerdictAllow, "ann", "")
	must(t, err)
	data, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(data), `"effect":"`+r.Effect.Fingerprint()+`"`) {
		t.Errorf("the audit log has %s", data)
	}
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestWithdrawAndClose(t *testing.T) {
	t.Parallel()
	d := openRequests(t, t.TempDir())
	p := post(t, d, question("dec_1"))
	for _, by := range []string{ByInterrupt, ByBelay} { // the first one counts
		if got, err := p.Withdraw(by, "over"); err != nil || got.Allowed() || got.By != ByInterrupt || got.Note != "over" {
			t.Errorf("withdrawn: %+v, %v", got, err)
		}
	}
	_, err := d.Decide(soon(t), "sess_1", "dec_1", VerdictAllow, "ann", "")
	faulty(t, "a withdrawn question", err, fault.DecisionClosed)
	answered := post(t, d, question("dec_2"))
	_, err = d.Decide(soon(t), "sess_1", "dec_2", VerdictAllow, "ann", "")
	must(t, err)
	if got, err := answered.Withdraw(ByInterrupt, "over"); err != nil || !got.Allowed() || got.By != "ann" {
		t.Errorf("the answer that counts is %+v, %v", got, err)
	}
	if got, _, err := d.Verdict("dec_2"); err != nil || !got.Allowed() {
		t.Errorf("the answer before the withdrawal is %+v, %v", got, err)
	}

	e := openRequests(t, t.TempDir())
	waiting := post(t, e, question("dec_1"))
	got := make(chan error)
	go func() {
		_, err := waiting.Wait(soon(t))
		got <- err
	}()
	for e.waiters.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	must(t, e.Close())
	if err := <-got; !errors.Is(err, ErrClosed) {
		t.Errorf("who waits for a closed store gets %v", err)
	}
}

// count is how many wait.
func (w *waiters) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// The content of the folder and is no question or answer harms nobody.
func TestForeignFilesInTheRequests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openRequests(t, dir)
	write := func(name, content string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)) }
	write("pending/dec_half.json", `{"id":"dec_half"`)
	write("pending/dec_other.json", `{"id":"dec_another","sessionId":"sess_1"}`)
	write("pending/dec_extra.json", `{"id":"dec_extra","sessionId":"sess_1","nonsense":1}`)
	write("pending/dec_huge.json", strings.Repeat(" ", maxRequestBytes+1))
	write("pending/README", "hello")
	must(t, os.Mkdir(filepath.Join(dir, "pending/dec_folder.json"), 0o700))
	write("verdicts/dec_1.json", `{"decision":{"decisionId":"dec_2","verdict":"allow"}}`)
	if open, err := d.List(soon(t), ""); err != nil || len(open) != 0 {
		t.Errorf("the open questions are %v, %v", open, err)
	}
	problems, err := d.Problems(soon(t))
	if err != nil || len(problems) != 7 {
		t.Errorf("%d problems, want 7: %q, %v", len(problems), problems, err)
	}
	for _, id := range []string{"dec_half", "dec_other", "dec_extra", "dec_huge", "dec_folder"} {
		_, err := d.Decide(soon(t), "", id, VerdictAllow, "ann", "")
		faulty(t, id, err, fault.NotFound)
	}
	if _, err := d.Post(soon(t), question("dec_1")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an id that has an answer: %v", err)
	}

	// An answer that nobody can read is a denial: nobody waits for ever.
	p := post(t, d, question("dec_9"))
	write("verdicts/dec_9.json", `{"sessionId":"sess_1","decision":{"decisionId":"dec_9","verdict":"al`)
	if got, err := p.Wait(soon(t)); err != nil || got.Allowed() || got.Timeout {
		t.Errorf("the asker got %+v, %v", got, err)
	}
	_, err = d.Decide(soon(t), "", "dec_9", VerdictAllow, "ann", "")
	faulty(t, "an answer over a broken one", err, fault.DecisionClosed)
}

// A question that a power cut has torn goes when the store is opened. One that a newer
// belay wrote stays, and so does one that can be answered.
func TestTornQuestionsGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	post(t, openRequests(t, dir), question("dec_open"))
	for id, text := range map[string]string{"dec_empty": "", "dec_half": `{"id":"dec_half","sess`, "dec_newer": `{"id":"dec_newer","novelty":1}`} {
		must(t, os.WriteFile(filepath.Join(dir, questionFile(id)), []byte(text), 0o600))
	}
	d := openRequests(t, dir)
	names, err := d.names(dirPending)
	must(t, err)
	slices.Sort(names)
	if want := []string{"dec_newer.json", "dec_open.json"}; !slices.Equal(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
}

func TestPostIsBounded(t *testing.T) {
	t.Parallel()
	d := openRequests(t, t.TempDir())
	for name, change := range map[string]func(*Request){
		"an id with a slash":   func(r *Request) { r.ID = "../x" },
		"a session of no name": func(r *Request) { r.SessionID = "" },
		"a huge question":      func(r *Request) { r.Reason = strings.Repeat("x", maxRequestBytes) },
	} {
		r := question("dec_1")
		change(&r)
		if _, err := d.Post(soon(t), r); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	r := question("")
	data, err := encode(r)
	must(t, err)
	for i := range maxOpen {
		id := fmt.Sprintf("dec_%d", i)
		full := strings.Replace(string(data), `"id":""`, `"id":"`+id+`"`, 1)
		must(t, os.WriteFile(filepath.Join(d.o.Dir, questionFile(id)), []byte(full), 0o600))
	}
	_, err = d.Post(soon(t), question("dec_one_more"))
	faulty(t, "one question too many", err, fault.Overloaded)
}

// No answer takes effect that the audit log does not know of.
func TestNoDecisionWithoutARecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	audit, err := OpenAudit(filepath.Join(dir, "file", "audit.jsonl"), nil)
	must(t, err)
	d := openRequests(t, filepath.Join(dir, "desk"), func(o *RequestsOptions) { o.Audit = audit })
	post(t, d, question("dec_1"))
	_, err = d.Decide(soon(t), "", "dec_1", VerdictAllowSession, "ann", "")
	faulty(t, "a log that cannot be written", err, fault.StorageFailure)
	if _, ok, _ := d.Verdict("dec_1"); ok || d.Granted("sess_1", "WORKING_ITEMS", question("").Effect) {
		t.Error("the decision took effect")
	}
}

func BenchmarkPostDecideWait(b *testing.B) {
	for name, audited := range map[string]bool{"plain": false, "audited": true} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			d := openRequests(b, dir, func(o *RequestsOptions) {
				o.Poll = time.Second
				if audited {
					a, err := OpenAudit(filepath.Join(dir, "audit.jsonl"), nil)
					must(b, err)
					o.Audit = a
				}
			})
			ctx := b.Context()
			for b.Loop() {
				p, err := d.Post(ctx, question(""))
				must(b, err)
				_, err = d.Decide(ctx, "", p.ID(), VerdictAllow, "ann", "")
				must(b, err)
				_, err = p.Wait(ctx)
				must(b, err)
			}
		})
	}
}
