package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// What is shown of a task has a bound, says what it leaves out, and stays the beginning of what
// there is.
func TestPartOfTask(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 3000)
	k := run.Task{Prompt: long, Item: "x", Input: map[string]any{"a": long}, Answer: long, Output: map[string]any{"response": long}}
	k.Part(1001)
	if strings.Join(k.Cut, " ") != "prompt input answer output" || k.Item != "x" || k.Input != nil {
		t.Errorf("%q of %v, %v", k.Cut, k.Item, k.Input)
	}
	response := k.Output.(map[string]any)["response"].(string)
	for _, got := range []string{k.Prompt, k.Answer.(string), response} {
		if want := strings.Repeat("ä", 500) + " …"; got != want {
			t.Errorf("%d bytes: %.20q", len(got), got)
		}
	}
	k = run.Task{Prompt: "short", Output: map[string]any{"response": "short"}}
	if k.Part(1000); k.Cut != nil || k.Prompt != "short" {
		t.Errorf("%+v", k)
	}
}

// What is shown of a run has a bound, too.
func TestPartOfRun(t *testing.T) {
	t.Parallel()
	long := map[string]any{"a": strings.Repeat("x", 1000)}
	r := run.Record{Input: long, Outputs: long, Tasks: []run.Task{{Prompt: strings.Repeat("x", 11)}}}
	r.Part(10, 1000)
	if strings.Join(r.Cut, " ") != "input outputs" || r.Input == nil || len(r.Input)+len(r.Outputs) > 0 || r.Tasks[0].Cut == nil {
		t.Errorf("%+v", r)
	}
	r = run.Record{Input: long, Outputs: map[string]any{"a": "short"}}
	if r.Part(10, 2000); r.Cut != nil || len(r.Input)+len(r.Outputs) != 2 {
		t.Errorf("%+v", r)
	}
}

// A list reads no more of a record than it shows.
func TestListReadsTheHead(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+"tasks: [{id: t, agent: a, prompt: x}]\noutputs: {all: '{{ .tasks.t.output.response }}'}\n", func(turn.Request) reply {
		return reply{text: strings.Repeat("long ", 1<<18), tokens: 7}
	})
	r := b.run(nil)
	name := filepath.Join(b.project, ".belay", "runs", r.ID, "run.json")
	data, err := os.ReadFile(name)
	if err != nil || len(data) < 1<<20 {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	// Whoever read all of it would find that its end is damaged.
	if err := os.WriteFile(name, data[:len(data)-2], 0o600); err != nil {
		t.Fatal(err)
	}
	all, _, err := b.r.List(t.Context(), b.project, 0)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	got, _ := json.Marshal(all[0])
	if want, _ := json.Marshal(r.Summary); string(got) != string(want) {
		t.Errorf("listed %s, it is %s", got, want)
	}
}
