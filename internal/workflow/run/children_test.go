package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// What failed in a task that succeeded all the same is not what its run failed with. Taken up
// again, the run sees it as before, and the record keeps it.
func TestFailedMembersOfWhatSucceeded(t *testing.T) {
	t.Parallel()
	const member = `{id: each, type: collection, strategy: best_effort, items: [x, y], task: {id: it, agent: a, prompt: "{{ .item }}"}}`
	const said = `{{ range .tasks.each.children }}{{ .item }} {{ .status }} {{ .error }}; {{ end }}`
	for name, c := range map[string]struct{ workflow, key string }{
		"the last task": {agents + "tasks: [" + member + "]\noutputs: {said: '" + said + "'}\nsnapshot: {root: _Runs}\n", "each/1/it"},
		"in what failed": {agents + "tasks: [{id: all, type: composite, tasks: [" + member + ", {id: say, agent: a, prompt: '" + said + "'}]}]\n" +
			"outputs: {said: '{{ .tasks.all.output.say.output.response }}'}\n", "all/each/1/it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			fails := true
			b = newBench(t, "id: flow\ntasks: []\n", func(r turn.Request) reply {
				if r.Message == "y" {
					_ = os.Remove(filepath.Join(b.project, "_Runs"))
					return reply{fails: "no luck"}
				}
				return reply{text: r.Message, reason: map[bool]string{true: "refusal"}[fails && strings.Contains(r.Message, ";")]}
			})
			b.file("flow.yaml", c.workflow)
			b.file("_Runs/keep/x", "")
			_ = os.RemoveAll(filepath.Join(b.project, "_Runs", "keep"))
			r := b.run(nil)
			before := task(t, r, c.key)
			if r.Status != run.Failed || before.Status != run.Failed {
				t.Fatalf("%s %+v; the member %s", r.Status, r.Error, before.Status)
			}
			fails = false
			if err := os.MkdirAll(filepath.Join(b.project, "_Runs"), 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
				t.Fatal(err)
			}
			r = b.ended(r.ID)
			if after := task(t, r, c.key); r.Status != run.Success || after.Status != run.Failed || after.Error == nil || after.Error.Message != before.Error.Message {
				t.Errorf("%s %+v; the member is %s %+v", r.Status, r.Error, after.Status, after.Error)
			}
			if said := r.Outputs["said"]; said != "x success ; y failed no luck; " {
				t.Errorf("the run sees %q", said)
			}
		})
	}
}

// Templates see the same members of a task whether the run was taken up since or not: also
// those that did not begin, each with its item, and the round that failed.
func TestChildrenAreTheSame(t *testing.T) {
	t.Parallel()
	const see = `{{ range .tasks.t.children }}{{ .index }}{{ if hasKey . "item" }}={{ .item }}{{ end }} {{ .status }}; {{ end }}`
	for name, c := range map[string]struct{ task, want string }{
		"stopped collection": {`strategy: fail_fast, batch: 1, type: collection, items: [x, y, z, w], task: {id: it, agent: a, prompt: "{{ .item }}"}`,
			"0=x success; 1=y failed; 2=z cancelled; 3=w cancelled; "},
		"timeout": {`timeout: 200ms, batch: 1, type: collection, items: [x, hang, z], task: {id: it, agent: a, prompt: "{{ .item }}"}`,
			"0=x success; 1=hang failed; 2=z cancelled; "},
		"failed round": {`type: repeat, max: 3, until: "false", task: {id: it, agent: a, prompt: "{{ if .index }}y{{ else }}x{{ end }}"}`,
			"0= success; 1= failed; "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, agents+"tasks:\n  - {id: t, "+c.task+", on_error: {next: gate}}\n"+
				"  - {id: gate, type: wait, message: go, on_success: {next: last}}\n"+
				"  - {id: last, agent: a, prompt: '"+see+"'}\n", func(r turn.Request) reply {
				return reply{text: r.Message, fails: map[bool]string{true: "no luck"}[r.Message == "y"], hangs: r.Message == "hang"}
			})
			for _, resumed := range []bool{false, true} {
				id := b.start(nil)
				b.waits(id)
				if resumed {
					b.restart()
				}
				if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue}); err != nil {
					t.Fatal(err)
				}
				if resumed {
					if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
						t.Fatal(err)
					}
				}
				r := b.ended(id)
				if got := task(t, r, "last").Prompt; got != c.want {
					t.Errorf("taken up %v: %q", resumed, got)
				}
			}
		})
	}
}
