package run_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// Branches that work at the same time have no more tasks together than a run may have. Each
// learns how many it has when an agent has answered.
func TestBranchesShareTheLimit(t *testing.T) {
	t.Parallel()
	var w strings.Builder
	w.WriteString(agents + "tasks:\n  - id: all\n    type: parallel\n    strategy: best_effort\n    on_success: {next: late}\n    tasks:\n")
	for i := range 8 {
		fmt.Fprintf(&w, `      - id: c%d
        type: composite
        tasks:
          - {id: list%d, agent: a, prompt: "list"}
          - {id: each%d, type: collection, items: '{{ splitList "," .tasks.list%d.output.response }}', task: {id: it%d, agent: a, prompt: "{{ .item }}"}}
`, i, i, i, i, i)
	}
	// What a branch did not use is there for those that follow.
	w.WriteString("  - {id: late, type: collection, items: '{{ until 20 }}', task: {id: last, agent: a, prompt: '{{ .item }}'}}\n")
	all := make(chan struct{})
	var asked atomic.Int32
	b := newBench(t, w.String(), func(r turn.Request) reply {
		if r.Message != "list" {
			return reply{text: "y"}
		}
		if asked.Add(1) == 8 {
			close(all)
		} else {
			<-all
		}
		return reply{text: strings.TrimSuffix(strings.Repeat("x,", 30), ",")}
	})
	b.limits.Tasks = 110
	b.r = b.runner()
	r := b.run(nil)
	if r.Status != run.Success || len(r.Tasks) > 110 {
		t.Errorf("%s %+v with %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	refused := 0
	for _, k := range r.Tasks {
		if strings.Count(k.Key, "/") == 2 && k.Status == run.Failed {
			refused++
			if k.Error.Type != fault.InvalidWorkflow || !strings.Contains(k.Error.Message, "more than 110 tasks (workflow.max_tasks)") {
				t.Errorf("%s: %+v", k.Key, k.Error)
			}
		}
	}
	if refused != 6 { // 1 task, 8 branches and 16 steps, and twice 30 items
		t.Errorf("%d branches are refused", refused)
	}
}

// A run that is taken up counts what it had, and what it is going to have.
func TestTakenUpCountsAll(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks:
  - {id: first, type: collection, items: '{{ until 40 }}', task: {id: a1, agent: a, prompt: "{{ .item }}"}, on_success: {next: gate}}
  - {id: gate, type: wait, message: go, on_success: {next: second}}
  - {id: second, type: repeat, max: 2, until: output.n.output.response == "1", task: {id: round, type: composite, tasks: [{id: n, agent: a, prompt: "{{ .index }}"}, {id: rest, agent: a, prompt: x}]}, on_success: {next: third}}
  - {id: third, type: collection, items: '{{ if .tasks.second.output }}{{ toJson (until 40) }}{{ end }}', task: {id: a3, agent: a, prompt: "{{ .item }}"}}
`
	for limit, want := range map[int]run.Status{90: run.Success, 89: run.Failed} { // 4 tasks, 40 items, 2 rounds of 3, 40 items
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, text, echo)
			b.limits.Tasks = limit
			b.r = b.runner()
			id := b.start(nil)
			b.waits(id)
			b.restart()
			if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
				t.Fatal(err)
			}
			if r := b.ended(id); r.Status != want || len(r.Tasks) > limit {
				t.Errorf("%s %+v with %d tasks", r.Status, r.Error, len(r.Tasks))
			}
		})
	}
}
