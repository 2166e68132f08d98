package test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fiveTasks is a workflow of five tasks: one that is shown files and answers in a
// form, a router, two at the same time, one for each item of a list, and a last
// one that sees what they gave.
const fiveTasks = `id: five
input: {type: object, required: [files]}
agents:
  - id: reader
    instructions: You read.
    tools: []
    actions:
      - id: look
        prompt: "Look at {{ .input.what }}."
        output: {type: object, required: [kind], properties: {kind: {type: string}}}
tasks:
  - id: look
    agent: reader
    action: look
    with: {what: "the files"}
    attachments: [{type: file, paths: ["*.txt"]}]
    on_success: {next: choose, with: {seen: "{{ .tasks.look.output.kind }}"}}
  - {id: choose, type: router, condition: input.seen, routes: {text: both}}
  - id: both
    type: parallel
    tasks:
      - {id: one, agent: reader, prompt: "One."}
      - {id: two, agent: reader, prompt: "Two, {{ .tasks.look.output.kind }}."}
    on_success: {next: each}
  - id: each
    type: collection
    items: "{{ .workflow.input.files }}"
    batch: 2
    task:
      id: item
      agent: reader
      prompt: "Item {{ .item }}."
      attachments: [{type: file, path: "{{ .item }}"}]
    on_success: {next: last}
  - id: last
    agent: reader
    prompt: "Last:{{ range .tasks.each.output }} {{ .output.response }}{{ end }}"
    final: true
outputs:
  kind: "{{ .tasks.look.output.kind }}"
  both: "{{ .tasks.both.output.one.output.response }}{{ .tasks.both.output.two.output.response }}"
  last: "{{ .tasks.last.output.response }}"
snapshot: {root: _Aggregation}
`

// fiveAnswers repairs its first answer.
const fiveAnswers = `turns:
  - {when: Look at the files, steps: [{say: "It is text."}]}
  - {when: cannot be used, steps: [{say: "{\"kind\": \"text\"}"}]}
  - {when: One., steps: [{say: "one"}]}
  - {when: "Two, text.", steps: [{say: "two"}]}
  - {when: Item a.txt, steps: [{say: A}]}
  - {when: Item b.txt, steps: [{say: B}]}
  - {when: Item c.txt, steps: [{say: C}]}
  - {when: "Last: A B C", steps: [{say: done}]}
`

// fiveOutputs is what the run gives, however often it was killed.
var fiveOutputs = map[string]any{"kind": "text", "both": "onetwo", "last": "done"}

func fivePlace(t *testing.T) *place {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.yaml")
	must(t, os.WriteFile(script, []byte(fiveAnswers), 0o600))
	p := newPlace(t, "BELAY_SCRIPTED_SCRIPT="+script, "BELAY_SCRIPTED_PACE=0s")
	p.file("five.yaml", fiveTasks)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		p.file(name, name+"\n")
	}
	return p
}

var fiveArgs = []string{"run", "five.yaml", "--input", `files=["a.txt","b.txt","c.txt"]`}

// A run is killed before each of its calls that change a file or a folder: at the
// boundary of each task, and in the midst of it. Taken up again it comes to the same
// result; what was finished is not done again; and there is one snapshot of it.
//
// Covers: attachments 6
func TestRunKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	const every = 29
	at, kills := 1, 0
	for ; killedRun(t, at); at += every {
		kills++
	}
	t.Logf("killed at %d of %d steps", kills, at)
	if kills < 10 {
		t.Errorf("killed at %d steps only", kills)
	}
}

// killedRun kills a run at a step and takes it up. It is false where the run has
// fewer steps.
func killedRun(t *testing.T, at int) bool {
	t.Helper()
	p := fivePlace(t)
	out, err := p.stepped(t, at, fiveArgs...).CombinedOutput()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.ExitCode() == steppedKilled
	if !killed && err != nil {
		t.Fatalf("step %d: %v\n%s", at, err, out)
	}
	before := p.taskRecords(t)
	ids := p.runs(t)
	switch {
	case !killed:
	case len(ids) == 0: // it had not begun
		out, err = p.command(fiveArgs...).CombinedOutput()
	case p.runRecord(t, ids[0]).Status != "success":
		out, err = p.command("run", "--resume", ids[0]).CombinedOutput()
	default:
		err = nil
	}
	if err != nil {
		t.Errorf("step %d: %v\n%s", at, err, out)
		return killed
	}
	if ids = p.runs(t); len(ids) != 1 {
		t.Errorf("step %d: there are the runs %v", at, ids)
		return killed
	}
	r := p.runRecord(t, ids[0])
	if diff := cmp.Diff(fiveOutputs, r.Outputs); diff != "" || r.Status != "success" {
		t.Errorf("step %d: %s, outputs (-want +got):\n%s", at, r.Status, diff)
	}
	after := p.taskRecords(t)
	for name, old := range before {
		if old.Status == "success" && old.text != after[name].text {
			t.Errorf("step %d: %s was finished and was done again:\n%s\n%s", at, name, old.text, after[name].text)
		}
	}
	if len(after) != 10 {
		t.Errorf("step %d: there are %d tasks on record", at, len(after))
	}
	snapshots, err := filepath.Glob(filepath.Join(p.project, "_Aggregation", "five_*"))
	must(t, err)
	if len(snapshots) != 1 || p.content("_Aggregation/_LATEST.md")[:len("Latest: five_")] != "Latest: five_" {
		t.Errorf("step %d: published are %v", at, snapshots)
	}
	return killed
}

// runRecord is what the test reads of a run's record, and of its tasks'.
type runRecord struct {
	Status  string         `json:"status"`
	Outputs map[string]any `json:"outputs"`
	text    string
}

func (p *place) runs(t *testing.T) (ids []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.project, ".belay", "runs", "*", "run.json"))
	must(t, err)
	for _, name := range found {
		ids = append(ids, filepath.Base(filepath.Dir(name)))
	}
	return ids
}

func (p *place) runRecord(t *testing.T, id string) runRecord {
	t.Helper()
	return readRunRecord(t, filepath.Join(p.project, ".belay", "runs", id, "run.json"))
}

func (p *place) taskRecords(t *testing.T) map[string]runRecord {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.project, ".belay", "runs", "*", "tasks", "*.json"))
	must(t, err)
	all := map[string]runRecord{}
	for _, name := range found {
		all[filepath.Base(name)] = readRunRecord(t, name)
	}
	return all
}

func readRunRecord(t *testing.T, name string) (r runRecord) {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	if err := json.Unmarshal(data, &r); err != nil {
		t.Errorf("%s is not whole: %v", name, err)
	}
	r.text = string(data)
	return r
}
