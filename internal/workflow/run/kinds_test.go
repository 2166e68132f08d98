package run_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/tool"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// The steps of a composite task see the results of those before them, each in its own
// item of a collection, and beside others at the same time.
func TestComposite(t *testing.T) {
	t.Parallel()
	const steps = `tasks: [{id: draft, agent: a, prompt: "draft {{ .input.what }}"}, {id: review, agent: a, prompt: "review of {{ .tasks.draft.output.response }}"}]`
	b := newBench(t, agents+`tasks:
  - {id: alone, type: composite, with: {what: x}, `+steps+`, on_success: {next: each}}
  - id: each
    type: collection
    items: [p, q]
    task: {id: both, type: composite, with: {what: "{{ .item }}"}, tasks: [{id: d2, agent: a, prompt: "draft {{ .input.what }}"}, {id: r2, agent: a, prompt: "review of {{ .tasks.d2.output.response }}, {{ .index }}"}]}
    on_success: {next: par}
  - id: par
    type: parallel
    tasks: [{id: seq, type: composite, tasks: [{id: d3, agent: a, prompt: one}, {id: in, type: composite, tasks: [{id: r3, agent: a, prompt: "{{ .tasks.d3.output.response }} two"}]}]}]
outputs:
  alone: "{{ .tasks.alone.output.review.output.response }}"
  each: "{{ range .tasks.each.output }}{{ .output.r2.output.response }};{{ end }}"
  par: "{{ .tasks.par.output.seq.output.in.output.r3.output.response }}"
`, echo)
	r := b.run(nil)
	want := map[string]any{"alone": "review of draft x", "each": "review of draft p, 0;review of draft q, 1;", "par": "one two"}
	if diff := cmp.Diff(want, r.Outputs); r.Status != run.Success || diff != "" {
		t.Errorf("%s %+v (-want +got):\n%s", r.Status, r.Error, diff)
	}
}

// The first step that fails is the task's failure; nothing behind it is done, and it is
// tried again when the run is taken up, where the steps before it are kept.
func TestCompositeFails(t *testing.T) {
	t.Parallel()
	var free atomic.Bool
	b := newBench(t, agents+`tasks: [{id: c, type: composite, tasks: [{id: one, agent: a, prompt: one}, {id: two, agent: a, prompt: two}, {id: three, agent: a, prompt: "{{ .tasks.one.output.response }} three"}]}]`, func(r turn.Request) reply {
		if r.Message == "two" && !free.Load() {
			return reply{fails: "no luck"}
		}
		return echo(r)
	})
	r := b.run(nil)
	if r.Status != run.Failed || r.Error.Message != "the task c/two failed: no luck" || len(b.e.asked()) != 2 {
		t.Fatalf("%s %+v, asked %q", r.Status, r.Error, b.e.asked())
	}
	free.Store(true)
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || strings.Join(b.e.asked(), " ") != "one two two one three" {
		t.Errorf("%s %+v, asked %q", r.Status, r.Error, b.e.asked())
	}
}

// A repeat task does its task until its condition holds, and fails where it never does.
func TestRepeat(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks:
  - id: refine
    type: repeat
    max: 4
    until: output.response.contains("2") || index == 9
    task: {id: draft, agent: a, prompt: "round {{ .index }}{{ if .last }} after {{ .last.response }}{{ end }}"}
outputs: {n: "{{ .tasks.refine.output.rounds }}", last: "{{ .tasks.refine.output.output.response }}"}
`
	b := newBench(t, text, echo)
	r := b.run(nil)
	want := map[string]any{"n": int64(3), "last": "round 2 after round 1 after round 0"}
	if diff := cmp.Diff(want, r.Outputs); r.Status != run.Success || diff != "" {
		t.Fatalf("%s %+v (-want +got):\n%s", r.Status, r.Error, diff)
	}
	b.file("flow.yaml", strings.Replace(text, "max: 4", "max: 2", 1))
	r = b.run(nil)
	if r.Status != run.Failed || !strings.Contains(r.Error.Message, "has done its 2 rounds, and until does not hold") {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	if got := task(t, r, "refine").Output.(map[string]any)["rounds"]; got != int64(2) {
		t.Errorf("its output says %v", got)
	}
	// More rounds go on after those that were done.
	asked := len(b.e.asked())
	b.file("flow.yaml", text)
	if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || len(b.e.asked()) != asked+1 {
		t.Errorf("%s %+v, asked %q", r.Status, r.Error, b.e.asked()[asked:])
	}
	b.file("flow.yaml", strings.Replace(text, `output.response.contains("2") || index == 9`, `output.response == "x" || input.none == 1`, 1))
	if r = b.run(nil); r.Status != run.Failed || !strings.Contains(r.Error.Message, "no such key") {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// A tool task calls its tool without a model: one that is read gives its text, and a call
// that is refused or fails is the task's failure.
func TestToolTask(t *testing.T) {
	t.Parallel()
	b := newBench(t, `id: flow
tasks:
  - {id: look, type: tool, tool: read, with: {path: "{{ .input.path }}", limit: 3}, on_success: {next: run}}
  - {id: run, type: tool, tool: bash, with: {command: "ls {{ .tasks.look.output.content }}"}, on_error: {next: again}}
  - {id: again, type: tool, tool: write, with: {path: o, content: "{{ .tasks.run.error }}"}}
outputs: {text: "{{ .tasks.look.output.content }}"}
`, func(r turn.Request) reply {
		d := r.Agent.Direct
		if d.Settled = true; d.Tool == "bash" {
			d.Outcome, d.Result = event.OutcomeRefused, tool.Result{Text: "not allowed", Failed: true}
			return reply{}
		}
		d.Result = tool.Result{Text: "   1  words", Value: map[string]any{"content": "words", "bytes": 5}}
		return reply{}
	})
	r := b.run(map[string]any{"path": "a.txt"})
	if r.Status != run.Success || r.Outputs["text"] != "words" {
		t.Fatalf("%s %+v %v", r.Status, r.Error, r.Outputs)
	}
	var calls []string
	for _, q := range b.e.requests {
		calls = append(calls, q.Agent.Direct.Tool+" "+string(q.Agent.Direct.Input)+fmt.Sprint(*q.Opts.Tools))
	}
	want := []string{`read {"limit":3,"path":"a.txt"}[read]`, `bash {"command":"ls words"}[bash]`, `write {"content":"the tool bash: not allowed","path":"o"}[write]`}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(b.e.created) != 2 { // that of the call that failed is not used again
		t.Errorf("%d sessions", len(b.e.created))
	}
}

// A wait task waits for a person. Who continues or refuses may leave a note; a run whose
// process ends goes on waiting in the next one, and an answer counts that came between.
func TestWait(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks:
  - {id: ask, type: wait, message: "Publish {{ .input.what }}?", on_success: {next: done}, on_error: {next: no}}
  - {id: done, agent: a, prompt: "{{ .tasks.ask.output.answer }} {{ .tasks.ask.output.note }} {{ .tasks.ask.output.by }}"}
  - {id: no, agent: a, prompt: "{{ .tasks.ask.error }}"}
`
	b := newBench(t, text, echo)
	input := map[string]any{"what": "it"}
	for _, tt := range []struct{ answer, want string }{{"continue", "continue fine ann"}, {"refuse", "ann refused: fine"}} {
		for _, restart := range []string{"", "before", "between"} {
			id := b.start(input)
			b.follows(id, run.TaskWait)
			waits, err := b.r.Waits(t.Context(), id)
			if err != nil || len(waits) != 1 || waits[0].Message != "Publish it?" || waits[0].Task != "ask" {
				t.Fatalf("%+v %v", waits, err)
			}
			if restart != "" {
				b.close()
			}
			if restart == "before" {
				b.r = b.runner()
				if n, err := b.r.TakeUpWaiting(t.Context()); err != nil || n != 1 {
					t.Fatalf("%d taken up: %v", n, err)
				}
			}
			a := run.AnswerRequest{Project: b.project, ID: id, Answer: tt.answer, Note: "fine", By: "ann"}
			if _, err := b.r.Answer(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			if restart == "between" {
				if _, err := b.r.Answer(t.Context(), a); !fault.Is(err, fault.DecisionClosed) {
					t.Errorf("answered twice: %v", err)
				}
				b.r = b.runner()
				if n, err := b.r.TakeUpWaiting(t.Context()); err != nil || n != 1 {
					t.Fatalf("%d taken up: %v", n, err)
				}
			}
			r := b.ended(id)
			if r.Status != run.Success || b.e.last().Message != tt.want || len(r.Waits) > 0 {
				t.Errorf("%s %s: %s %+v, %q", tt.answer, restart, r.Status, r.Error, b.e.last().Message)
			}
			if _, err := b.r.Answer(t.Context(), a); !fault.Is(err, fault.DecisionClosed) {
				t.Errorf("answered afterwards: %v", err)
			}
		}
	}
}

// close ends the runner as a server does that is stopped: what only waits is left to the
// next one at once.
func (b *bench) close() {
	b.t.Helper()
	if err := b.r.Close(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// A wait ends when its time has passed, which counts from its beginning, whatever process
// there was. With a message that is a refusal unless the author says otherwise.
func TestWaitForATime(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		`for: 1ms`:                                    "success time",
		`for: 1ms, on_time: refuse`:                   "failed ",
		`for: 1ms, message: "Well?"`:                  "failed ",
		`for: 1ms, message: "W?", on_time: continue`:  "success time",
		`for: 1ms, message: "W?", on_time: "refuse"`:  "failed ",
		`for: 1ms, message: "W {{ .workflow.id }}?" `: "failed ",
	} {
		b := newBench(t, agents+`tasks: [{id: w, type: wait, `+fields+`}]`, echo)
		r := b.run(nil)
		answer := ""
		if o, ok := r.Outputs["w"].(map[string]any); ok {
			answer = o["answer"].(string)
		}
		if got := string(r.Status) + " " + answer; got != want {
			t.Errorf("%s: %s %+v", fields, got, r.Error)
		}
	}
}

// A refused wait asks again when the run is taken up; and where nobody attends the run
// nobody is waited for.
func TestWaitAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: ask, type: wait, message: Well?}]`, echo)
	request := b.request(nil)
	request.OnQuestion = turn.OnQuestionRefuse
	if _, err := b.r.Start(t.Context(), request); err == nil || !strings.Contains(err.Error(), "tasks[0]: nobody attends the run") {
		t.Fatal(err)
	}
	// What is not certain before the run is found at the task.
	b.file("flow.yaml", agents+`tasks: [{id: all, type: parallel, strategy: race, tasks: [{id: ask, type: wait, message: Well?}]}]`)
	s, err := b.r.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Failed || !strings.Contains(r.Error.Message, "nobody attends the run") {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	for _, answer := range []string{"refuse", "continue"} {
		if _, err := b.r.Resume(t.Context(), b.project, s.ID, turn.OnQuestionWait); err != nil {
			t.Fatal(err)
		}
		b.waits(s.ID)
		if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: s.ID, Answer: answer}); err != nil {
			t.Fatal(err)
		}
		want := map[string]run.Status{"refuse": run.Failed, "continue": run.Success}[answer]
		if r := b.ended(s.ID); r.Status != want {
			t.Errorf("%s: %s %+v", answer, r.Status, r.Error)
		}
	}
}

// waits waits until a run waits.
func (b *bench) waits(id string) run.Waiting {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if all, err := b.r.Waits(b.t.Context(), id); err != nil {
			b.t.Fatal(err)
		} else if len(all) > 0 {
			return all[0]
		}
	}
	b.t.Fatal("it does not wait")
	return run.Waiting{}
}

// Several tasks of a run can wait; an answer then names one.
func TestSeveralWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: all, type: collection, items: [x, y], task: {id: ask, type: wait, message: "{{ .item }}?"}}]`, echo)
	id := b.start(nil)
	b.follows(id, run.TaskWait)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if all, err := b.r.Waits(t.Context(), id); err != nil || len(all) == 2 {
			break
		}
	}
	a := run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue}
	if _, err := b.r.Answer(t.Context(), a); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "all/0/ask, all/1/ask") && !strings.Contains(err.Error(), "all/1/ask, all/0/ask") {
		t.Errorf("%v", err)
	}
	a.Task = "all/7/ask"
	if _, err := b.r.Answer(t.Context(), a); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	for _, a.Task = range []string{"all/0/ask", "all/1/ask"} {
		if _, err := b.r.Answer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	r := b.ended(id)
	if r.Status != run.Success {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	if text, err := json.Marshal(r.Outputs["all"]); err != nil || strings.Count(string(text), `"answer":"continue"`) != 2 {
		t.Errorf("%s %v", text, err)
	}
}
