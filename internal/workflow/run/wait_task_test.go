package run_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// A task's time runs while it waits for the engine.
func TestTimeoutWhileBusy(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x, timeout: 100ms, retries: 3}]`, func(turn.Request) reply { return reply{busy: true} })
	r := b.run(nil)
	if r.Status != run.Failed || r.Error.Type != fault.TaskTimeout || len(task(t, r, "t").Attempts) != 1 || b.e.working.Load() != 0 {
		t.Errorf("%s %+v; %d turns are left", r.Status, r.Error, b.e.working.Load())
	}
}

// A task's time, and that of the task which holds it, stand still while it waits for
// a person: of two tasks with one limit, the one that began first outlives the other.
func TestNoTimeoutWhileAsked(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{})
	b := newBench(t, agents+`tasks: [{id: all, type: parallel, timeout: 2s, tasks: [{id: t, agent: a, prompt: asks, timeout: 2s}]}]`, func(r turn.Request) reply {
		if strings.Contains(r.Message, "hangs") {
			return reply{hangs: true}
		}
		return reply{asks: "dec_1", answered: answered, text: "done"}
	})
	waits := b.start(nil)
	b.follows(waits, run.TaskQuestion)
	b.file("hangs.yaml", agents+"tasks: [{id: t, agent: a, prompt: hangs, timeout: 2s}]")
	s, err := b.r.Start(t.Context(), run.Request{Project: b.project, File: filepath.Join(b.project, "hangs.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Failed || r.Error.Type != fault.TaskTimeout {
		t.Fatalf("the one that hangs: %s %+v", r.Status, r.Error)
	}
	close(answered)
	if r := b.ended(waits); r.Status != run.Success {
		t.Errorf("the one that waited: %s %+v", r.Status, r.Error)
	}
}

// A task that waits for a person leaves its place to another, and goes on although
// that has it.
func TestAWaitingTaskHasNoPlace(t *testing.T) {
	t.Parallel()
	answered, holds, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(free) })
	defer release()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: asks}]`, func(r turn.Request) reply {
		if strings.Contains(r.Message, "holds") {
			close(holds)
			<-free
			return echo(r)
		}
		return reply{asks: "dec_1", answered: answered, text: "done"}
	})
	b.limits.Parallel = 1
	b.r = b.runner()
	waits := b.start(nil)
	b.follows(waits, run.TaskQuestion)
	b.file("holds.yaml", agents+"tasks: [{id: t, agent: a, prompt: holds}]")
	s, err := b.r.Start(t.Context(), run.Request{Project: b.project, File: filepath.Join(b.project, "holds.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-holds:
	case <-time.After(patience):
		t.Fatal("the waiting task keeps its place")
	}
	close(answered)
	if r := b.ended(waits); r.Status != run.Success {
		t.Errorf("the one that waited: %s %+v", r.Status, r.Error)
	}
	release()
	if r := b.ended(s.ID); r.Status != run.Success {
		t.Errorf("the other: %s %+v", r.Status, r.Error)
	}
}

// A run tells its turns whether somebody answers questions, anew when it is taken up,
// and sums up what was not permitted.
func TestQuestionsOfARun(t *testing.T) {
	t.Parallel()
	fails := true
	b := newBench(t, agents+`tasks: [{id: one, agent: a, prompt: x, on_success: {next: two}}, {id: two, agent: a, prompt: y}]`, func(r turn.Request) reply {
		if fails && r.Message == "y" {
			return reply{fails: "no luck"}
		}
		return reply{text: "done", calls: &event.Calls{Refused: 1, LeftOut: 1}}
	})
	request := b.request(nil)
	request.OnQuestion = turn.OnQuestionRefuse
	s, err := b.r.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Failed || b.e.last().Opts.OnQuestion != turn.OnQuestionRefuse {
		t.Fatalf("%s with %+v", r.Status, b.e.last().Opts)
	}
	fails = false
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, turn.OnQuestionWait); err != nil {
		t.Fatal(err)
	}
	r := b.ended(s.ID)
	if b.e.last().Opts.OnQuestion != turn.OnQuestionWait {
		t.Errorf("taken up: %+v", b.e.last().Opts)
	}
	if c := task(t, r, "one").Calls; c == nil || *c != (event.Calls{Refused: 1, LeftOut: 1}) {
		t.Errorf("the task counts %+v", c)
	}
	if r.Calls == nil || *r.Calls != (event.Calls{Refused: 2, LeftOut: 2}) {
		t.Errorf("the run counts %+v", r.Calls)
	}
}

// A task that waits for its place among others has not begun: its own time does not
// run. That of a task which holds it does.
func TestTimeoutWhileOthersWork(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second // long enough for a busy machine
	holds, free := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(free) })
	defer release()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: holds the only place}]`, func(r turn.Request) reply {
		if strings.Contains(r.Message, "holds") {
			close(holds)
			<-free
		}
		return echo(r)
	})
	b.limits.Parallel = 1
	b.r = b.runner()
	begin := func(name, tasks string) string {
		t.Helper()
		b.file(name, agents+"tasks: "+tasks)
		s, err := b.r.Start(t.Context(), run.Request{Project: b.project, File: filepath.Join(b.project, name)})
		if err != nil {
			t.Fatal(err)
		}
		return s.ID
	}
	holder := b.start(nil)
	<-holds
	own := begin("own.yaml", `[{id: t, agent: a, prompt: x, timeout: 5s}]`)
	waits := time.Now()
	held := begin("held.yaml", `[{id: all, type: parallel, timeout: 100ms, tasks: [{id: u, agent: a, prompt: x}, {id: v, agent: a, prompt: x}]}]`)
	r := b.ended(held)
	if r.Status != run.Failed || r.Error.Type != fault.TaskTimeout || len(r.Tasks) != 1 {
		t.Errorf("the one that holds others: %s %+v, %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	time.Sleep(time.Until(waits.Add(limit + limit/4))) // the limit of the first is over by now
	release()
	if r := b.ended(own); r.Status != run.Success {
		t.Errorf("the one with its own limit: %s %+v", r.Status, r.Error)
	}
	if r := b.ended(holder); r.Status != run.Success {
		t.Errorf("the one that held the place: %s %+v", r.Status, r.Error)
	}
}

// A wait whose time ran out has all of it again when its run is taken up.
func TestWaitBeginsAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?, for: 1s}]\n", echo)
	r := b.run(nil)
	if r.Status != run.Failed {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	ended := *task(t, r, "ok").EndedAt
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); task(t, r, "ok").StartedAt.Before(ended) || task(t, r, "ok").EndedAt.Sub(ended) < time.Second {
		t.Errorf("it began at %v, after it had ended at %v, and ended at %v", task(t, r, "ok").StartedAt, ended, task(t, r, "ok").EndedAt)
	}
}

// A question that is too long for its record fails its task, and no other question is lost.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: '{{ repeat 300000 \"<\" }}'}]\n", echo)
	if r := b.run(nil); r.Status != run.Failed || !strings.Contains(r.Error.Message, "300000 bytes, more than 262144") {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// A run that was cancelled, and whose process died before it had removed what it waited for,
// is not taken up by the next server.
func TestCancelledRunStaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?}]\n", echo)
	id := b.start(nil)
	b.waits(id)
	name := ""
	all, err := os.ReadDir(filepath.Join(b.state, "runs"))
	for _, e := range all {
		if filepath.Ext(e.Name()) == ".wait" {
			name = filepath.Join(b.state, "runs", e.Name())
		}
	}
	if err != nil || name == "" {
		t.Fatalf("it waits in %v, %v", all, err)
	}
	wait, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.r.Cancel(t.Context(), b.project, id); err != nil {
		t.Fatal(err)
	}
	b.ended(id)
	if err := os.WriteFile(name, wait, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := b.r.TakeUpWaiting(t.Context()); n != 0 || err != nil {
		t.Errorf("%d runs are taken up: %v", n, err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what it waited for is still there: %v", err)
	}
}

// Records of tasks have names that every file system takes, and tells apart.
func TestNamesOfRecords(t *testing.T) {
	t.Parallel()
	long := func(i int) string { return fmt.Sprintf("t%d-%s", i, strings.Repeat("x", 60)) }
	text := fmt.Sprintf(`{id: %s, agent: a, prompt: deep}`, long(5))
	for i := 4; i > 0; i-- {
		text = fmt.Sprintf(`{id: %s, type: composite, tasks: [%s]}`, long(i), text)
	}
	b := newBench(t, agents+"tasks: ["+text+"]\n", echo)
	r := b.run(nil)
	if r.Status != run.Success || len(r.Tasks) != 5 {
		t.Fatalf("%s %+v, %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	for _, rec := range r.Tasks {
		if got, err := b.r.Task(t.Context(), b.project, r.ID, rec.Key); err != nil || got.Key != rec.Key {
			t.Errorf("%s: %v", rec.Key, err)
		}
	}
	b.file("flow.yaml", agents+"tasks: [{id: plan, agent: a, prompt: x, on_success: {next: Plan}}, {id: Plan, agent: a, prompt: x}]\n")
	if _, err := b.r.Start(t.Context(), b.request(nil)); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("ids that differ in case alone: %v", err)
	}
}
