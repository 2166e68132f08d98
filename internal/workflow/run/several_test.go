package run_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// Where the record of an item cannot be written, the run ends: the item that is at work is
// stopped, and no other one begins. All of them are done when the run is taken up again.
func TestItemThatIsNotRecordedStopsTheOthers(t *testing.T) {
	t.Parallel()
	var b *bench
	var free atomic.Bool
	obstacle := func() string {
		dirs, err := filepath.Glob(filepath.Join(b.project, ".belay", "runs", "*", "tasks"))
		if err != nil || len(dirs) != 1 {
			t.Errorf("folders of records: %v, %v", dirs, err)
			return ""
		}
		return filepath.Join(dirs[0], "each.1.it.json")
	}
	b = newBench(t, agents+`tasks:
  - {id: first, agent: a, prompt: first, on_success: {next: each}}
  - {id: each, type: collection, strategy: best_effort, batch: 2, items: "{{ until 20 | toJson }}", task: {id: it, agent: a, prompt: "item {{ .item }}."}}
`, func(r turn.Request) reply {
		if r.Message == "first" {
			if err := os.MkdirAll(filepath.Join(obstacle(), "in the way"), 0o700); err != nil {
				t.Error(err)
			}
		}
		return reply{text: r.Message, hangs: r.Message == "item 0." && !free.Load()}
	})
	id := b.start(nil)
	b.follows(id, run.RunEnd)
	if err := os.RemoveAll(obstacle()); err != nil {
		t.Fatal(err)
	}
	r := b.ended(id)
	if r.Status != run.Failed || r.Error == nil || r.Error.Type != fault.StorageFailure {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	for _, k := range r.Tasks {
		if strings.Contains(k.Key, "/") && k.Status != run.Cancelled {
			t.Errorf("%s is %s", k.Key, k.Status)
		}
	}
	if asked := slices.DeleteFunc(b.e.asked(), func(m string) bool { return m == "first" || m == "item 0." }); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
	free.Store(true)
	if _, err := b.r.Resume(t.Context(), b.project, id, ""); err != nil {
		t.Fatal(err)
	}
	if r = b.ended(id); r.Status != run.Success || len(r.Tasks) != 22 {
		t.Errorf("taken up again: %s %+v, %d tasks", r.Status, r.Error, len(r.Tasks))
	}
}

// Wait tasks take no place: all people of a collection are asked at once, unless it says
// otherwise.
func TestWaitsOfACollection(t *testing.T) {
	t.Parallel()
	for each, want := range map[string]int{"": 9, "batch: 3,": 3} {
		b := newBench(t, agents+`tasks: [{id: each, type: collection, `+each+` items: "{{ until 9 }}", task: {id: ok, type: wait, message: "{{ .item }}?"}}]`, echo)
		b.limits.Parallel = 2
		b.r = b.runner()
		id := b.start(nil)
		var all []run.Waiting
		for end := time.Now().Add(patience); len(all) < want && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
			all, _ = b.r.Waits(t.Context(), id)
		}
		if len(all) != want {
			t.Errorf("%q: %d questions", each, len(all))
		}
		if err := b.r.Cancel(t.Context(), b.project, id); err != nil {
			t.Error(err)
		}
	}
}
