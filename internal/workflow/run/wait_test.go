package run_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// A task's time runs while it waits for a person or for the engine.
func TestTimeoutWhileAsked(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]reply{
		"a decision":           {asks: "dec_1", hangs: true},
		"a place for the turn": {busy: true},
	} {
		b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x, timeout: 100ms, retries: 3}]`, func(turn.Request) reply { return answer })
		id := b.start(nil)
		r := b.ended(id)
		if r.Status != run.Failed || r.Error.Type != fault.TaskTimeout || len(task(t, r, "t").Attempts) != 1 {
			t.Errorf("%s: %s %+v", what, r.Status, r.Error)
		}
		asked := false
		for _, e := range b.events(id) {
			asked = asked || e.Type == run.TaskQuestion
		}
		if asked != (answer.asks != "") || b.e.working.Load() != 0 {
			t.Errorf("%s: a question was told: %v; %d turns are left", what, asked, b.e.working.Load())
		}
	}
}

// A task that waits for its place among others has not begun: its own time does not
// run. That of a task which holds it does.
func TestTimeoutWhileOthersWork(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second // long enough for a busy machine
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
	own := begin("own.yaml", `[{id: t, agent: a, prompt: x, timeout: 2s}]`)
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
