package run_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// The tasks of a large collection share a file of records and few sessions, in which each
// begins alone. What is finished is not done again, also after a crash in the middle of a
// line.
func TestLargeCollection(t *testing.T) {
	t.Parallel()
	const items = 120
	var free atomic.Bool
	b := newBench(t, agents+`tasks: [{id: each, type: collection, items: "{{ until 120 | toJson }}", task: {id: it, agent: a, prompt: "item {{ .item }}."}}]
outputs: {n: "{{ len .tasks.each.output }}", last: "{{ (index .tasks.each.output 119).output.response }}"}
`, func(r turn.Request) reply {
		if strings.HasSuffix(r.Message, "7.") && !free.Load() {
			return reply{fails: "no luck"}
		}
		return echo(r)
	})
	b.limits.Items, b.limits.Tasks = items, 2*items
	b.r = b.runner()
	r := b.run(nil)
	if r.Status != run.Failed || len(r.Tasks) != items+1 {
		t.Fatalf("%s %+v, %d tasks", r.Status, r.Error, len(r.Tasks))
	}
	for _, q := range b.e.requests {
		if !q.Agent.Alone {
			t.Fatal("a task sees what others said")
		}
	}
	if n := len(b.e.created); n > b.limits.Parallel+12 { // a session whose turn failed is not used again
		t.Errorf("%d sessions", n)
	}
	dir := filepath.Join(b.project, ".belay/runs", r.ID)
	files := 0
	if err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	}); err != nil || files > 6 {
		t.Errorf("%d files: %v", files, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "members.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"v":2,"key":"each/7/it","stat`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	free.Store(true)
	if _, err := b.r.Resume(t.Context(), b.project, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(r.ID); r.Status != run.Success || fmt.Sprint(r.Outputs["n"], r.Outputs["last"]) != "120item 119." {
		t.Fatalf("%s %+v %v", r.Status, r.Error, r.Outputs)
	}
	if n := len(b.e.asked()); n != items+items/10 {
		t.Errorf("asked %d times", n)
	}
	k, err := b.r.Task(t.Context(), b.project, r.ID, "each/17/it")
	if err != nil || k.Status != run.Success || len(k.Attempts) != 2 || k.Prompt != "item 17." {
		t.Errorf("%+v %v", k, err)
	}
}

// What is asked once more in a shared session goes on from what was asked there first.
func TestRepairInALargeCollection(t *testing.T) {
	t.Parallel()
	b := newBench(t, agents+`tasks: [{id: each, type: collection, items: "{{ until 60 | toJson }}", mode: sequential, task: {id: it, agent: a, prompt: "item {{ .item }}.", output: {type: object, required: [a]}}}]`, func(r turn.Request) reply {
		if r.Agent.Since == "" {
			return reply{text: "no JSON"}
		}
		return reply{text: `{"a": 1}`}
	})
	b.limits.Items = 60
	b.r = b.runner()
	r := b.run(nil)
	if r.Status != run.Success || len(b.e.created) != 1 {
		t.Fatalf("%s %+v, %d sessions", r.Status, r.Error, len(b.e.created))
	}
	if k := task(t, r, "each/3/it"); len(k.Attempts[0].Turns) != 2 || b.e.requests[7].Agent.Since != k.Attempts[0].Turns[0] {
		t.Errorf("%+v, since %s", k.Attempts, b.e.requests[7].Agent.Since)
	}
}
