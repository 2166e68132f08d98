package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/workflow/run"
)

// nested has three collections within each other, of 50 items each.
const nested = agents + `tasks:
  - id: outer
    type: collection
    items: '{{ until 50 }}'
    task:
      id: middle
      type: collection
      items: '{{ until 50 }}'
      task: {id: inner, type: collection, items: '{{ until 50 }}', task: {id: it, agent: a, prompt: "{{ .index }}"}}
`

// A run that has too many tasks is refused before any of them is evaluated, and a plan says so.
func TestTooManyAreNotPlanned(t *testing.T) {
	t.Parallel()
	b := newBench(t, nested, echo)
	plan, err := b.r.Plan(t.Context(), b.request(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Tasks[0]; len(d.Tasks) > 0 || len(d.Problems) != 1 || !strings.Contains(d.Problems[0], "more than 200 tasks (workflow.max_tasks)") {
		t.Errorf("%d tasks are planned, and what is wrong is %q", len(d.Tasks), d.Problems)
	}
	for name, err := range map[string]error{"check": b.r.CheckOffline(t.Context(), b.request(nil)), "start": begun(b)} {
		if !fault.Is(err, fault.InvalidWorkflow) || strings.Count(err.Error(), "more than 200 tasks") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func begun(b *bench) error {
	_, err := b.r.Start(b.t.Context(), b.request(nil))
	return err
}

// A plan has a bound, however many tasks a run may have.
func TestPlanHasABound(t *testing.T) {
	t.Parallel()
	b := newBench(t, nested, echo)
	b.limits.Tasks = 1_000_000
	b.r = b.runner()
	plan, err := b.r.Plan(t.Context(), b.request(nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := countPlanned(plan.Tasks); n < 500 || n > 1500 {
		t.Errorf("it shows %d tasks", n)
	}
}

func countPlanned(all []run.PlannedTask) (n int) {
	for _, d := range all {
		n += 1 + countPlanned(d.Tasks)
	}
	return n
}

// Nobody waits for a plan that nobody wants any more.
func TestPlanStops(t *testing.T) {
	t.Parallel()
	b := newBench(t, strings.ReplaceAll(nested, "until 50", "until 150"), echo)
	b.limits.Items, b.limits.Tasks = 150, 10_000_000
	b.r = b.runner()
	for name, f := range map[string]func(context.Context) error{
		"plan":  func(ctx context.Context) error { _, err := b.r.Plan(ctx, b.request(nil)); return err },
		"check": func(ctx context.Context) error { return b.r.CheckOffline(ctx, b.request(nil)) },
		"start": func(ctx context.Context) error { _, err := b.r.Start(ctx, b.request(nil)); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := f(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}
