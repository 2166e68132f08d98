package run_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// A task that fails is tried again as often as it says, each time in a session of
// its own; what another try cannot mend is not tried again.
func TestRetries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
		fails int32 // of the first turns
		tries int
		want  fault.Type
	}{
		{"mended", reply{fails: "overloaded"}, 2, 3, ""},
		{"not mended", reply{fails: "overloaded"}, 9, 3, fault.SDKFailure},
		{"a wait that is too long", reply{fails: "slow down", later: "2030-01-02T03:04:05Z"}, 9, 1, fault.SDKFailure},
		{"a budget", reply{text: "x", reason: "budget"}, 9, 1, fault.BudgetExceeded},
		{"a refusal", reply{text: "x", reason: "refusal"}, 9, 3, fault.TaskFailed},
		{"a panic", reply{panics: true}, 9, 1, fault.TaskFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x, retries: 2}]`, func(r turn.Request) reply {
				if n.Add(1) <= tt.fails {
					return tt.reply
				}
				return echo(r)
			})
			r := b.run(nil)
			k := task(t, r, "t")
			if len(k.Attempts) != tt.tries || len(b.e.created) != tt.tries {
				t.Errorf("%d attempts in %d sessions", len(k.Attempts), len(b.e.created))
			}
			if tt.want == "" && r.Status != run.Success || tt.want != "" && (r.Error == nil || r.Error.Type != tt.want || k.Error.Type != tt.want) {
				t.Errorf("%s %+v", r.Status, r.Error)
			}
			retries := 0
			for _, e := range b.events(r.ID) {
				if e.Type == run.TaskRetry {
					retries++
				}
			}
			if retries != tt.tries-1 {
				t.Errorf("%d retries were told", retries)
			}
		})
	}
}

// A task that waits to be tried again gives its place to others meanwhile.
func TestRetryGivesItsPlace(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	b := newBench(t, agents+"input: {type: object}\n"+`tasks: [{id: t, agent: a, prompt: "{{ .input.who }}", retries: 1}]`, func(r turn.Request) reply {
		if n.Add(1) == 1 {
			return reply{fails: "overloaded"}
		}
		return echo(r)
	})
	b.limits.Parallel, b.limits.RetryDelay = 1, time.Second
	b.r = b.runner()
	first := b.start(map[string]any{"who": "first"})
	b.follows(first, run.TaskRetry)
	b.run(map[string]any{"who": "second"})
	if all := b.e.asked(); len(all) != 2 || !strings.Contains(all[1], "second") {
		t.Errorf("asked were %q", all)
	}
	if r := b.ended(first); r.Status != run.Success {
		t.Errorf("the first one: %s %+v", r.Status, r.Error)
	}
}

// A task has its time, whatever it does in it; the turn of it is interrupted.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, tasks := range []string{
		`[{id: t, agent: a, prompt: x, timeout: 50ms, retries: 3}]`,
		`[{id: t, type: parallel, strategy: best_effort, timeout: 50ms, tasks: [{id: u, agent: a, prompt: x}, {id: v, agent: a, prompt: x}]}]`,
		`[{id: t, type: collection, timeout: 50ms, items: [1, 2, 3], batch: 1, task: {id: u, agent: a, prompt: x}}]`,
	} {
		b := newBench(t, agents+"tasks: "+tasks, func(turn.Request) reply { return reply{hangs: true} })
		r := b.run(nil)
		if r.Status != run.Failed || r.Error.Type != fault.TaskTimeout || !strings.Contains(r.Error.Message, "50ms (timeout)") {
			t.Errorf("%s: %s %+v", tasks, r.Status, r.Error)
		}
		if n := b.e.working.Load(); n != 0 {
			t.Errorf("%d turns are left", n)
		}
	}
}

// All turns of a task share its budget: each may use what the ones before have left, and none
// begins without anything.
func TestBudgetOfATask(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x, retries: 5, budget: {max_tokens: 10, max_cost: 2}}]`, func(turn.Request) reply {
		return reply{tokens: 4, fails: "no"}
	})
	r := b.run(nil)
	if r.Status != run.Failed || r.Error.Type != fault.BudgetExceeded || !strings.Contains(r.Error.Message, "has used its 10 tokens (budget.max_tokens)") || r.Usage.InputTokens != 12 || *r.Usage.CostUSD != 1.5 {
		t.Errorf("%s %+v %+v", r.Status, r.Error, r.Usage)
	}
	var tokens []int64
	var costs []float64
	for _, q := range b.e.requests {
		tokens, costs = append(tokens, *q.Opts.MaxTokens), append(costs, *q.Opts.MaxCostUSD)
	}
	if !slices.Equal(tokens, []int64{10, 6, 2}) || !slices.Equal(costs, []float64{2, 1.5, 1}) {
		t.Errorf("the turns may use %v and %v", tokens, costs)
	}
}

// A run that certainly does more tasks one after the other than it may does not begin. One
// that shows it only later ends.
func TestSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - {id: one, agent: a, prompt: one, on_success: {next: two}}
  - {id: two, agent: a, prompt: two, on_success: {next: three}}
  - {id: three, agent: a, prompt: three}
`, echo)
	b.limits.Steps = 2
	b.r = b.runner()
	const want = "the run needs more than 2 tasks one after the other (workflow.steps)"
	if _, err := b.r.Start(t.Context(), b.request(nil)); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), "flow.yaml:9:5: tasks[2]: "+want) {
		t.Errorf("it begins: %v", err)
	}
	b.file("flow.yaml", agents+`tasks:
  - {id: one, agent: a, prompt: one, on_success: {next: two}}
  - {id: two, type: router, condition: tasks.one.output.response, routes: {one: three}, default: four}
  - {id: three, agent: a, prompt: three}
  - {id: four, agent: a, prompt: four, final: true}
`)
	if r := b.run(nil); r.Status != run.Failed || !strings.Contains(r.Error.Message, want) {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// A run is cancelled from this process and from another one; what it was doing is
// stopped, and it can be taken up again.
//
// Covers: attachments 6
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		var free atomic.Bool
		b := newBench(t, agents+`tasks: [{id: one, agent: a, prompt: one, on_success: {next: two}}, {id: two, agent: a, prompt: two}]`, func(r turn.Request) reply {
			if r.Message == "two" && !free.Load() {
				return reply{hangs: true}
			}
			return echo(r)
		})
		canceller := b.r
		if elsewhere {
			canceller = b.runner()
		}
		id := b.start(nil)
		b.await("two")
		if all, _, err := canceller.List(t.Context(), b.project, 0); err != nil || len(all) != 1 || !all[0].Live || all[0].Status != run.Running {
			t.Errorf("%+v %v", all, err)
		}
		if _, err := canceller.Resume(t.Context(), b.project, id, ""); !fault.Is(err, fault.RunInProgress) {
			t.Errorf("resumed while it runs: %v", err)
		}
		if err := canceller.Cancel(t.Context(), b.project, id); err != nil {
			t.Fatal(err)
		}
		r := b.ended(id)
		if r.Status != run.Cancelled || r.Live || r.Error.Type != fault.RunCancelled || task(t, r, "two").Status != run.Cancelled {
			t.Errorf("%s %v %+v", r.Status, r.Live, r.Error)
		}
		if err := canceller.Cancel(t.Context(), b.project, id); !fault.Is(err, fault.RunNotRunning) {
			t.Errorf("cancelled twice: %v", err)
		}
		free.Store(true)
		if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
			t.Fatal(err)
		}
		if r = b.ended(id); r.Status != run.Success || r.Error != nil || len(r.Resumed) != 1 {
			t.Errorf("%s %+v", r.Status, r.Error)
		}
		if diff := cmp.Diff([]string{"one", "two", "two"}, b.e.asked()); diff != "" {
			t.Error(diff)
		}
		if _, err := b.r.Resume(t.Context(), b.project, id, ""); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("a finished run is taken up: %v", err)
		}
	}
}

// A runner that closes waits for a task at work. It does not wait for a person whom the run
// asks after that task.
func TestCloseBeforeAQuestion(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	b := newBench(t, agents+`tasks:
  - {id: work, agent: a, prompt: work, on_success: {next: ask}}
  - {id: ask, type: wait, message: Well?}
`, func(r turn.Request) reply {
		return reply{text: r.Message, answered: release}
	})
	id := b.start(nil)
	b.await("work")
	closed := make(chan error, 1)
	go func() { closed <- b.r.Close(t.Context()) }()
	for r := b.r; ; runtime.Gosched() {
		if _, err := r.Start(t.Context(), b.request(nil)); fault.Is(err, fault.Overloaded) {
			break
		}
	}
	close(release)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	r, err := b.r.Show(t.Context(), b.project, id)
	if err != nil || r.Status != run.Interrupted || len(r.Waits) != 1 {
		t.Errorf("%v: %s, waits %+v", err, r.Status, r.Waits)
	}
}

// A runner that is closed stops its runs, which can be taken up by another one.
func TestClose(t *testing.T) {
	t.Parallel()
	var free atomic.Bool
	b := newBench(t, agents+`tasks:
  - id: both
    type: parallel
    tasks: [{id: one, agent: a, prompt: one}, {id: two, agent: a, prompt: two}]
`, func(r turn.Request) reply {
		if r.Message == "two" && !free.Load() {
			return reply{hangs: true}
		}
		return echo(r)
	})
	id := b.start(nil)
	b.await("one")
	b.await("two")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.r.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	if _, err := b.r.Start(t.Context(), b.request(nil)); !fault.Is(err, fault.Overloaded) {
		t.Errorf("started: %v", err)
	}
	r, err := b.r.Show(t.Context(), b.project, id)
	if err != nil || r.Status != run.Interrupted || task(t, r, "both/two").Status != run.Interrupted {
		t.Fatalf("%v %s", err, r.Status)
	}
	free.Store(true)
	b.r = b.runner()
	// The file may be gone by now, or be another one: the run has its own copy.
	b.file("flow.yaml", "id: other")
	if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(id); r.Status != run.Success {
		t.Errorf("%+v", r.Error)
	}
	got := strings.Join(b.e.asked(), " ")
	if strings.Count(got, "two") != 2 || strings.Count(got, "one") > 2 {
		t.Errorf("asked: %s", got)
	}
}

// A run that failed is taken up with the task that failed; what succeeded beside it
// is not done again.
func TestResumeFailed(t *testing.T) {
	t.Parallel()
	var free atomic.Bool
	b := newBench(t, agents+`tasks:
  - {id: first, agent: a, prompt: bad, on_error: {next: each}}
  - id: each
    type: collection
    items: [good, worse]
    task: {id: one, agent: a, prompt: "{{ .item }}"}
`, func(r turn.Request) reply {
		if r.Message != "good" && !free.Load() {
			return reply{fails: "no luck"}
		}
		return echo(r)
	})
	r := b.run(nil)
	if r.Status != run.Failed || r.Error.Message != "the task each/1/one failed: no luck" {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	free.Store(true)
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || task(t, r, "first").Status != run.Failed {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	if got := strings.Join(b.e.asked(), " "); strings.Count(got, "good") != 1 || strings.Count(got, "bad") != 1 || strings.Count(got, "worse") != 2 {
		t.Errorf("asked: %s", got)
	}
	if k := task(t, r, "each/1/one"); len(k.Attempts) != 2 || k.Error != nil || k.Status != run.Success {
		t.Errorf("%+v", k)
	}
}

// What was changed in a run's folder behind belay's back is told, and nothing runs.
func TestSpoilt(t *testing.T) {
	t.Parallel()
	spoil := map[string]struct{ name, text, want string }{
		"no record":       {"run.json", "{", "run.json of the run"},
		"another record":  {"run.json", `{"id": "run_x"}`, "calls itself"},
		"another flow":    {"workflow", agents + "tasks: [{id: t, agent: a, prompt: evil}]", "it was changed since the run began"},
		"a spoilt task":   {"tasks/t.json", "[]", "tasks/t.json"},
		"a renamed task":  {"tasks/u.json", `{"key": "t", "status": "success"}`, "is about the task"},
		"a path in a key": {"tasks/u.json", `{"key": "../t", "status": "success"}`, "is about the task"},
	}
	for name, s := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x}]`, func(turn.Request) reply { return reply{fails: "no"} })
			r := b.run(nil)
			asked := len(b.e.asked())
			if err := os.WriteFile(filepath.Join(b.project, ".belay", "runs", r.ID, s.name), []byte(s.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := b.r.Resume(t.Context(), b.project, r.ID, "")
			if err == nil || !strings.Contains(err.Error(), s.want) {
				t.Errorf("got %v, want %q", err, s.want)
			}
			if len(b.e.asked()) != asked {
				t.Error("something ran")
			}
			if all, _, err := b.r.List(t.Context(), b.project, 0); err != nil || len(all) != 1 {
				t.Errorf("%v %v", all, err)
			}
		})
	}
}

// The items of a collection are not all begun at once: those that wait for a place have
// gathered nothing yet. Their records do not each repeat
// the input of the run, and have it all the same when the run is taken up.
func TestManyItems(t *testing.T) {
	t.Parallel()
	var fail atomic.Bool
	fail.Store(true)
	b := newBench(t, agents+`tasks:
  - id: each
    type: collection
    strategy: best_effort
    items: "{{ .workflow.input.list }}"
    task: {id: one, agent: a, prompt: "{{ .item }}", attachments: [{type: file, path: "{{ .item }}"}]}
    on_success: {next: last}
  - {id: last, agent: a, prompt: "{{ (index .tasks.each.children 29).input.list | len }}"}
`, func(r turn.Request) reply {
		if r.Message == "30" && fail.Load() {
			return reply{fails: "no"}
		}
		return echo(r)
	})
	b.limits.Parallel = 2
	b.r = b.runner()
	list := make([]any, 30)
	for i := range list {
		list[i] = fmt.Sprintf("a-file-with-quite-a-long-name-%d", i)
	}
	id := b.start(map[string]any{"list": list})
	r := b.ended(id)
	for i := range list {
		if k := task(t, r, fmt.Sprintf("each/%d/one", i)); k.Status != run.Success || k.Input != nil {
			t.Fatalf("%d: %s %+v %v", i, k.Status, k.Error, k.Input)
		}
	}
	begun, most := 0, 0
	for _, e := range b.events(id) {
		switch {
		case !strings.HasPrefix(e.Task, "each/"):
		case e.Type == run.TaskStart:
			begun++
			most = max(most, begun)
		case e.Type == run.TaskEnd:
			begun--
		}
	}
	if most > 2 {
		t.Errorf("%d tasks were begun at once", most)
	}
	if r.Status != run.Failed {
		t.Fatalf("the run is %s", r.Status)
	}
	fail.Store(false)
	if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(id); r.Status != run.Success {
		t.Errorf("taken up: %+v", r.Error)
	}
}

// Ids are names of folders: what is none never gets near the disk.
func TestIDs(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x}]`, echo)
	for _, id := range []string{"", ".", "..", "run_", "run_../../x", "run_a/b", "run_\x00", "run_" + strings.Repeat("a", 99), "sess_1", "run_none"} {
		if _, err := b.r.Show(t.Context(), b.project, id); !fault.Is(err, fault.RunNotFound) {
			t.Errorf("show %q: %v", id, err)
		}
		if err := b.r.Cancel(t.Context(), b.project, id); !fault.Is(err, fault.RunNotFound) {
			t.Errorf("cancel %q: %v", id, err)
		}
		if _, err := b.r.Follow(t.Context(), b.project, id, 0); !fault.Is(err, fault.RunNotFound) {
			t.Errorf("follow %q: %v", id, err)
		}
		if _, err := b.r.Resume(t.Context(), b.project, id, ""); !fault.Is(err, fault.RunNotFound) {
			t.Errorf("resume %q: %v", id, err)
		}
	}
}

// Events are dense and tell the whole story, to a reader that comes in the middle
// as well.
func TestFollow(t *testing.T) {
	t.Parallel()
	var free atomic.Bool
	b := newBench(t, agents+`tasks: [{id: one, agent: a, prompt: one, on_success: {next: two}}, {id: two, agent: a, prompt: two}]`, func(r turn.Request) reply {
		if r.Message == "two" && !free.Load() {
			time.Sleep(20 * time.Millisecond)
		}
		return reply{text: r.Message, asks: "dec_1"}
	})
	id := b.start(nil)
	other := b.runner() // as another process sees it
	s, err := other.Follow(t.Context(), b.project, id, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.ended(id)
	var got []run.EventType
	for i, e := range b.events(id) {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
		got = append(got, e.Type)
	}
	want := []run.EventType{
		run.RunStart, run.TaskStart, run.TaskAttempt, run.TaskQuestion, run.TaskEnd,
		run.TaskStart, run.TaskAttempt, run.TaskQuestion, run.TaskEnd, run.RunEnd,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	n := int64(2)
	for n < int64(len(want)) {
		more, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range more {
			if n++; e.Seq != n {
				t.Errorf("event %d where %d was next", e.Seq, n)
			}
		}
	}
}

// Many runs at once share the places for tasks.
func TestPlaces(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: each, type: collection, items: [1, 2, 3, 4, 5, 6], task: {id: one, agent: a, prompt: x}}]`, func(r turn.Request) reply {
		time.Sleep(time.Millisecond)
		return echo(r)
	})
	b.limits.Parallel = 2
	b.r = b.runner()
	var ids []string
	for range 4 {
		ids = append(ids, b.start(nil))
	}
	for _, id := range ids {
		if r := b.ended(id); r.Status != run.Success {
			t.Errorf("%+v", r.Error)
		}
	}
	if most := b.e.most.Load(); most > 2 {
		t.Errorf("%d turns at once", most)
	}
	if all, _, err := b.r.List(t.Context(), b.project, 0); err != nil || len(all) != 4 || all[0].ID < all[3].ID {
		t.Errorf("%v %v", all, err)
	}
	if newest, more, err := b.r.List(t.Context(), b.project, 1); err != nil || len(newest) != 1 || newest[0].ID != ids[3] || more != 3 {
		t.Errorf("%v and %d more, %v", newest, more, err)
	}
}

// A run that came with a project allows nothing: what a person allowed is kept where
// no project reaches. Nor does it pass for the workflow that somebody started.
func TestForged(t *testing.T) {
	t.Parallel()
	var free atomic.Bool
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x}]`, func(r turn.Request) reply {
		if !free.Load() {
			return reply{fails: "no"}
		}
		return echo(r)
	})
	q := b.request(nil)
	q.Allow, q.Mode = []string{"read"}, "plan"
	s, err := b.r.Start(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	b.ended(s.ID)
	record := filepath.Join(b.project, ".belay", "runs", s.ID, "run.json")
	change := func(pairs ...string) {
		t.Helper()
		data, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(record, []byte(strings.NewReplacer(pairs...).Replace(string(data))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(`"read"`, `"bash"`, `"plan"`, `"dontAsk"`)
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, ""); err != nil {
		t.Fatal(err)
	}
	b.ended(s.ID)
	if r := b.e.last(); len(r.Allow) != 1 || r.Allow[0] != "read" || r.Opts.Mode != "plan" {
		t.Errorf("the forged record allows %v in mode %s", r.Allow, r.Opts.Mode)
	}

	evil := agents + "tasks: [{id: t, agent: a, prompt: evil}]"
	sum := sha256.Sum256([]byte(evil))
	shown, err := b.r.Show(t.Context(), b.project, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	change(shown.SHA256, hex.EncodeToString(sum[:]))
	if err := os.WriteFile(filepath.Join(filepath.Dir(record), "workflow"), []byte(evil), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, ""); err == nil || !strings.Contains(err.Error(), "not the workflow that was started") {
		t.Errorf("another workflow: %v", err)
	}

	change(`"folder": "`+b.project, `"folder": "/etc`)
	b.state = t.TempDir() // a machine that the run was not started on
	other := b.runner()
	free.Store(true)
	if _, err := other.Resume(t.Context(), b.project, s.ID, ""); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("files of anywhere: %v", err)
	}
	change(`"folder": "/etc`, `"folder": "`+b.project)
	if _, err := other.Resume(t.Context(), b.project, s.ID, ""); err != nil {
		t.Fatal(err)
	}
	b.r = other
	b.ended(s.ID)
	if r := b.e.last(); len(r.Allow) != 0 || r.Opts.Mode != "" {
		t.Errorf("a run that came from elsewhere allows %v in mode %s", r.Allow, r.Opts.Mode)
	}
}

// A turn for which there is no place waits for one, and is no failure.
func TestBusy(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x}]`, func(r turn.Request) reply {
		if n.Add(1) < 3 {
			return reply{busy: true}
		}
		return echo(r)
	})
	if r := b.run(nil); r.Status != run.Success || len(task(t, r, "t").Attempts) != 1 {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// Where the end of a run cannot be recorded, as on a full disk, who asks this process
// is told why; and the run can be taken up once it can.
func TestEndThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	var b *bench
	var broken atomic.Bool
	b = newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x, on_success: {next: u}}, {id: u, agent: a, prompt: y}]`, func(r turn.Request) reply {
		if r.Message == "y" && broken.CompareAndSwap(false, true) {
			// The folder that the run has open is gone, and what is read is a copy.
			runs, err := filepath.Glob(filepath.Join(b.project, ".belay", "runs", "*"))
			if err == nil {
				err = errors.Join(os.CopyFS(runs[0]+".copy", os.DirFS(runs[0])), os.RemoveAll(runs[0]), os.Rename(runs[0]+".copy", runs[0]))
			}
			if err != nil {
				t.Error(err)
			}
		}
		return echo(r)
	})
	id := b.start(nil)
	r := b.ended(id)
	if r.Status != run.Interrupted || r.Error == nil || r.Error.Type != fault.StorageFailure || !strings.Contains(r.Error.Message, "could not be written: ") {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(id); r.Status != run.Success || r.Error != nil {
		t.Errorf("taken up again: %s %+v", r.Status, r.Error)
	}
	if asked := b.e.asked(); len(asked) != 3 || asked[2] != "y" {
		t.Errorf("asked %q", asked)
	}
}

// A run of too many tasks is refused before any of them begins: at the start where the
// first task has them, and else when it is known how many there are.
func TestTooManyTasks(t *testing.T) {
	t.Parallel()
	const grid = `type: collection, items: "{{ .input.rows }}", task: {id: row, type: collection, items: "{{ .item }}", task: {id: cell, agent: a, prompt: "cell {{ .item }}"}}`
	rows := func(n, m int) map[string]any {
		var all []any
		for range n {
			all = append(all, make([]any, m))
		}
		return map[string]any{"rows": all}
	}
	refused := func(b *bench, input map[string]any, want string) {
		t.Helper()
		if _, err := b.r.Start(t.Context(), b.request(input)); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if all, _, err := b.r.List(t.Context(), b.project, 0); err != nil || len(all) != 0 {
			t.Errorf("there are %d runs, %v", len(all), err)
		}
	}
	b := newBench(t, agents+"tasks: [{id: grid, "+grid+"}]", echo)
	refused(b, rows(51, 1), "there are 51, more than 50 (workflow.max_items)")
	refused(b, rows(20, 10), "more than 200 tasks (workflow.max_tasks)")
	if r := b.run(rows(19, 9)); r.Status != run.Success || len(r.Tasks) != 191 {
		t.Errorf("%s %+v with %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	// A later task counts as soon as its items are known, and those before it count as well.
	const one = `tasks: [{id: one, agent: a, prompt: one, on_success: {next: grid}}, `
	b = newBench(t, agents+one+`{id: grid, `+grid+`}]`, echo)
	refused(b, rows(20, 10), "tasks[1]: with all that this task holds the run has more than 200 tasks")
	if err := b.r.Check(t.Context(), b.request(rows(20, 10))); !fault.Is(err, fault.InvalidWorkflow) {
		t.Errorf("checked: %v", err)
	}
	again := strings.NewReplacer("row,", "row2,", "cell", "cell2").Replace(grid)
	b = newBench(t, agents+one+`{id: grid, on_success: {next: again}, `+grid+`}, {id: again, `+again+`}]`, echo)
	refused(b, rows(10, 10), "tasks[2]: with all that this task holds the run has more than 200 tasks")
	if r := b.run(rows(10, 8)); r.Status != run.Success {
		t.Errorf("%s %+v with %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	if n := len(b.e.asked()); n != 161 {
		t.Errorf("asked %d times", n)
	}
	// A repetition may end early, so its rounds keep no later task from beginning.
	b = newBench(t, agents+`tasks:
  - {id: once, type: repeat, max: 20, until: "true", task: {id: round, agent: a, prompt: x}, on_success: {next: grid}}
  - {id: grid, `+grid+`}
`, echo)
	if r := b.run(rows(19, 9)); r.Status != run.Success {
		t.Errorf("%s %+v with %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	// Items that an answer gives are counted when it is there.
	b = newBench(t, agents+one+strings.Replace(`{id: grid, `+grid+`}]`, "{{ .input.rows }}", "{{ if .tasks.one.output.response }}{{ toJson .input.rows }}{{ end }}", 1), echo)
	r := b.run(rows(20, 10))
	if r.Status != run.Failed || !strings.Contains(r.Error.Message, "workflow.max_tasks") || len(b.e.asked()) != 1 {
		t.Errorf("%s %+v, %d turns", r.Status, r.Error, len(b.e.asked()))
	}
	// What is known only when an inner task begins counts from then on.
	b = newBench(t, agents+`tasks:
  - id: rows
    type: collection
    batch: 1
    items: "{{ .input.rows }}"
    task: {id: row, type: parallel, tasks: [{id: one, agent: a, prompt: one}, {id: all, type: collection, items: "{{ .workflow.input.rows }}", task: {id: cell, agent: a, prompt: x}}]}
`, echo)
	refused(b, rows(14, 1), "workflow.max_tasks")
	if r := b.run(rows(12, 1)); r.Status != run.Success {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// A full disk is named as what it is.
func TestFullDiskHint(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{syscall.ENOSPC: "free disk space", syscall.EDQUOT: "free disk space", syscall.EACCES: "let belay write"} {
		if hint := fault.From(run.StorageForTest(cause)).Hint; !strings.Contains(hint, want) {
			t.Errorf("%v: %s", cause, hint)
		}
	}
}
