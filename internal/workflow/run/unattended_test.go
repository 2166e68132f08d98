package run_test

import (
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

const handled = agents + `tasks:
  - {id: first, agent: a, prompt: first, on_success: {next: ask}}
  - {id: ask, type: wait, message: Well?, on_success: {next: yes}, on_error: {next: no}}
  - {id: "yes", agent: a, prompt: "yes"}
  - {id: "no", agent: a, prompt: "no"}
`

// That nobody attends a run is no answer: it does not begin, also where the failure of the
// wait has a next task.
func TestUnattendedWaitIsNoAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t, handled, echo)
	request := b.request(nil)
	request.OnQuestion = turn.OnQuestionRefuse
	if _, err := b.r.Start(t.Context(), request); !fault.Is(err, fault.InvalidWorkflow) || !strings.Contains(err.Error(), "tasks[1]: nobody attends the run") {
		t.Errorf("it begins: %v", err)
	}
	if err := b.r.CheckOffline(t.Context(), request); err == nil {
		t.Error("a dry run finds nothing")
	}
	b.file("flow.yaml", agents+`tasks:
  - {id: all, type: parallel, strategy: best_effort, tasks: [{id: ask, type: wait, message: Well?}]}
`)
	if _, err := b.r.Start(t.Context(), request); !fault.Is(err, fault.InvalidWorkflow) {
		t.Errorf("it begins: %v", err)
	}
	if asked := b.e.asked(); len(asked) > 0 {
		t.Errorf("models were asked %q", asked)
	}
}

// Where the wait shows only later, the run stops there, and asks when it is taken up.
func TestUnattendedWaitStopsTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks:
  - {id: first, agent: a, prompt: first, on_success: {next: way}}
  - {id: way, type: router, condition: tasks.first.output.response, routes: {first: ask, else: "no"}}
  - {id: ask, type: composite, tasks: [{id: ok, type: wait, message: Well?}], on_success: {next: "yes"}, on_error: {next: "no"}}
  - {id: "yes", agent: a, prompt: "yes"}
  - {id: "no", agent: a, prompt: "no"}
`, echo)
	request := b.request(nil)
	request.OnQuestion = turn.OnQuestionRefuse
	s, err := b.r.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Failed || !strings.HasPrefix(r.Error.Message, "the task ask/ok failed: nobody attends the run") {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, turn.OnQuestionRefuse); !fault.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "nobody attends the run") {
		t.Errorf("it goes on: %v", err)
	}
	if _, err := b.r.Resume(t.Context(), b.project, s.ID, turn.OnQuestionWait); err != nil {
		t.Fatal(err)
	}
	b.waits(s.ID)
	if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: s.ID, Answer: run.AnswerContinue}); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(s.ID); r.Status != run.Success || b.e.last().Message != "yes" {
		t.Errorf("%s %+v, %q", r.Status, r.Error, b.e.last().Message)
	}
}

// A run whose question is open is not taken up where nobody attends it, and the question
// stays. With its answer it goes on.
func TestUnattendedResumptionLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t, handled, echo)
	id := b.start(nil)
	b.waits(id)
	b.close()
	b.r = b.runner()
	if _, err := b.r.Resume(t.Context(), b.project, id, turn.OnQuestionRefuse); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("it goes on: %v", err)
	}
	if all, err := b.r.Waits(t.Context(), id); err != nil || len(all) != 1 {
		t.Fatalf("the question is gone: %v, %v", all, err)
	}
	if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.r.Resume(t.Context(), b.project, id, turn.OnQuestionRefuse); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(id); r.Status != run.Success || b.e.last().Message != "yes" {
		t.Errorf("%s %+v, %q", r.Status, r.Error, b.e.last().Message)
	}
}

// A race begins where nobody attends, also within another task: a member that asks nobody may
// win it.
func TestUnattendedRace(t *testing.T) {
	t.Parallel()
	const race = `{id: all, type: parallel, strategy: race, tasks: [{id: ask, type: wait, message: Well?}, {id: one, agent: a, prompt: one}]}`
	for name, task := range map[string]string{"by itself": race, "within a task": "{id: outer, type: composite, tasks: [" + race + "]}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agents+"tasks: ["+task+"]\n", echo)
			request := b.request(nil)
			request.OnQuestion = turn.OnQuestionRefuse
			s, err := b.r.Start(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if r := b.ended(s.ID); r.Status != run.Success {
				t.Errorf("%s %+v", r.Status, r.Error)
			}
		})
	}
}
