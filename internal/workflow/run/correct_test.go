package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

func (b *bench) corrected(id string) run.Corrected {
	return run.Corrected{Project: b.project, ID: id, File: filepath.Join(b.project, "flow.yaml"), Strict: true}
}

// A run goes on with a corrected file. Of its finished tasks those are done again that
// are defined otherwise there, or are given something else; the others are kept, and
// nobody is asked for them. The record says why.
func TestCorrect(t *testing.T) {
	t.Parallel()
	const before = agents + `tasks:
  - {id: one, agent: a, prompt: one, on_success: {next: two}}
  - {id: two, agent: a, prompt: "two of {{ .tasks.one.output.response }}", on_success: {next: each}}
  - id: each
    type: collection
    items: [x, y, z]
    task: {id: it, agent: a, prompt: "{{ .item }}"}
    on_success: {next: last}
  - {id: last, agent: a, prompt: last}
outputs: {o: "{{ index .tasks.last.output.response 99 }}"}
`
	mended := strings.Replace(before, `outputs: {o:`, `outputs: {p: "{{ .tasks.last.output.response }}"} #`, 1)
	tests := []struct {
		name    string
		replace []string
		asked   string // after the correction
		again   string // why, by task
	}{
		{"the outputs alone", nil, "", ""},
		{"what follows, limits, outputs", []string{"prompt: one,", "prompt: one, retries: 2, timeout: 5m, outputs: {response: \"{{ .output.response }}\"},"}, "", ""},
		{"a prompt", []string{"prompt: last}", "prompt: at last}"}, "at last", "last its definition changed"},
		{"an agent", []string{"You are", "You were"}, "one two of one x y z last", "one its definition changed"},
		{"a prompt, with what follows from it", []string{"prompt: one,", "prompt: uno,"}, "uno two of uno", "one its definition changed"},
		{"an output that others see", []string{"prompt: one,", "prompt: one, outputs: {response: two},"}, "two of two", "two what it is given changed"},
		{"one item", []string{"[x, y, z]", "[x, q, z]"}, "q", "each "},
		{"an item less", []string{"[x, y, z]", "[x, y]"}, "", ""},
		{"a task more", []string{"items: [x, y, z]", "items: [x, y, z, more]"}, "more", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, before, echo)
			r := b.run(nil)
			if r.Status != run.Failed || len(r.Tasks) != 7 {
				t.Fatalf("%s %+v", r.Status, r.Error)
			}
			asked := len(b.e.asked())
			text := mended
			for i := 0; i+1 < len(tt.replace); i += 2 {
				text = strings.ReplaceAll(text, tt.replace[i], tt.replace[i+1])
			}
			b.file("flow.yaml", text)
			plan, err := b.r.PlanCorrect(t.Context(), b.corrected(r.ID))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
				t.Fatal(err)
			}
			r = b.ended(r.ID)
			if r.Status != run.Success || len(r.Corrections) != 1 {
				t.Fatalf("%s %+v %+v", r.Status, r.Error, r.Corrections)
			}
			got := b.e.asked()[asked:]
			if !sameWords(got, tt.asked) {
				t.Errorf("asked again: %q, want %s", got, tt.asked)
			}
			var again []string
			for _, k := range plan {
				if k.Again != "" && !strings.HasPrefix(k.Again, "only if") || k.Repeated > 0 {
					again = append(again, k.Task+" "+k.Again)
				}
			}
			if got := strings.Join(again, "; "); got != tt.again {
				t.Errorf("planned: %q, want %q", got, tt.again)
			}
			if word, why, _ := strings.Cut(tt.again, " "); why != "" && task(t, r, word).Again != why {
				t.Errorf("the record says %q", task(t, r, word).Again)
			}
			// What was corrected stays, also when the run is taken up by its own copy.
			if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); !fault.Is(err, fault.InvalidRequest) {
				t.Errorf("a finished run is taken up: %v", err)
			}
		})
	}
}

// sameWords reports whether messages are the words of a text, in any order: items are asked
// at the same time.
func sameWords(messages []string, text string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(strings.Join(messages, " ")) {
		count[w]++
	}
	for _, w := range strings.Fields(text) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// An answer that was paid for is kept where only the outputs that the author makes of it
// were wrong.
func TestCorrectTheOutputsOfATask(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks: [{id: one, agent: a, prompt: one, outputs: {n: "{{ index .output.response 99 }}"}}]`
	b := newBench(t, text, echo)
	r := b.run(nil)
	if r.Status != run.Failed || !strings.Contains(r.Error.Message, "outputs of the task one") {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Failed || len(b.e.asked()) != 1 {
		t.Fatalf("taken up as it was: %s, asked %q", r.Status, b.e.asked())
	}
	b.file("flow.yaml", strings.Replace(text, "index .output.response 99", ".output.response", 1))
	if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || len(b.e.asked()) != 1 || r.Outputs["one"].(map[string]any)["n"] != "one" {
		t.Errorf("%s %+v %v, asked %q", r.Status, r.Error, r.Outputs, b.e.asked())
	}
}

// What cannot go on is refused before anything changes: another workflow, a file that is
// still wrong, and one whose remaining tasks would fail. The run stays as it was.
func TestCorrectRefuses(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks: [{id: one, agent: a, prompt: one, on_success: {next: two}}, {id: two, agent: a, prompt: FAIL}]`
	luck := "no luck"
	b := newBench(t, text, func(r turn.Request) reply {
		if r.Message == "FAIL" {
			return reply{fails: luck}
		}
		return echo(r)
	})
	r := b.run(nil)
	for name, tt := range map[string]struct{ text, wrong string }{
		"another workflow": {strings.Replace(text, "id: flow", "id: other", 1), "the file is the workflow other"},
		"a mistake":        {strings.Replace(text, "prompt: FAIL", "promt: FAIL", 1), "promt"},
		"a late mistake":   {strings.Replace(text, "prompt: FAIL", `prompt: "{{ .tasks.one.output.response }} {{ .input.none }}"`, 1), "tasks[1].prompt"},
		"late outputs":     {text + "\noutputs: {a: \"{{ index .tasks.one.output.response 7 }}\"}", "outputs.a"},
	} {
		b.file("flow.yaml", tt.text)
		if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err == nil || !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := b.r.Show(t.Context(), b.project, r.ID); err != nil || now.Status != run.Failed || len(now.Resumed)+len(now.Corrections) > 0 {
			t.Errorf("%s: the run is %+v: %v", name, now.Summary, err)
		}
	}
	// It goes on as it was, with its own copy.
	luck = ""
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || strings.Join(b.e.asked(), " ") != "one FAIL FAIL" {
		t.Errorf("%s, asked %q", r.Status, b.e.asked())
	}
}

// Whatever a run failed with is tried again when it is taken up, in whichever order its
// tasks had begun; so is what failed before it and has not been reached since. A task that
// was cut off when the process died is not what the run failed with.
func TestCorrectedTaskFails(t *testing.T) {
	t.Parallel()
	const text = agents + `tasks:
  - {id: one, agent: a, prompt: one, on_success: {next: two}}
  - {id: two, agent: a, prompt: two}
`
	for _, killed := range []bool{false, true} {
		failing := map[string]bool{"two": true}
		b := newBench(t, text, func(r turn.Request) reply {
			if failing[r.Message] {
				return reply{fails: "no"}
			}
			return reply{text: r.Message}
		})
		r := b.run(nil)
		if killed {
			b.cutOff(r.ID, "run.json")
			b.cutOff(r.ID, "tasks/two.json")
		}
		b.file("flow.yaml", strings.Replace(text, "prompt: one", "prompt: first", 1))
		failing = map[string]bool{"first": true}
		if _, err := b.r.Correct(t.Context(), b.corrected(r.ID)); err != nil {
			t.Fatal(err)
		}
		if r = b.ended(r.ID); r.Status != run.Failed {
			t.Fatalf("the first task was to fail: %s", r.Status)
		}
		failing = nil
		if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
			t.Fatal(err)
		}
		if r = b.ended(r.ID); r.Status != run.Success {
			t.Errorf("killed %v: %s %+v, asked %q", killed, r.Status, r.Error, b.e.asked())
		}
	}
}

// cutOff makes a record what it is when the process dies in the middle.
func (b *bench) cutOff(id, name string) {
	b.t.Helper()
	path := filepath.Join(b.project, ".belay", "runs", id, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	var record map[string]any
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	record["status"] = "running"
	delete(record, "endedAt")
	delete(record, "error")
	if err == nil {
		data, err = json.Marshal(record)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
