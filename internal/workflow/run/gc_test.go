package run_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// Runs that ended long enough ago are removed, with their locks; those that run, or
// can be taken up, stay.
func TestGC(t *testing.T) {
	t.Parallel()
	var hang atomic.Bool
	b := newBench(t, agents+`tasks: [{id: t, agent: a, prompt: x}]`, func(r turn.Request) reply {
		if hang.Load() {
			return reply{hangs: true}
		}
		return echo(r)
	})
	old := b.run(nil)
	hang.Store(true)
	live := b.start(nil)
	b.await("x")
	half := filepath.Join(b.project, ".belay", "runs", "run_half")
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	gc := func(age time.Duration, dry bool, want int) {
		t.Helper()
		report, err := b.r.GC(t.Context(), b.project, age, dry)
		if err != nil || report.Runs != want || want > 0 && report.Bytes == 0 {
			t.Errorf("%+v %v, want %d", report, err, want)
		}
	}
	gc(0, false, 0)
	gc(time.Hour, false, 0)
	gc(time.Nanosecond, true, 1)
	if _, err := b.r.Show(t.Context(), b.project, old.ID); err != nil {
		t.Fatal(err)
	}
	gc(time.Nanosecond, false, 1)
	if _, err := b.r.Show(t.Context(), b.project, old.ID); !fault.Is(err, fault.RunNotFound) {
		t.Errorf("the old run: %v", err)
	}
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(half, long, long); err != nil {
		t.Fatal(err)
	}
	if report, err := b.r.GC(t.Context(), b.project, 0, false); err != nil || report.Runs != 1 {
		t.Errorf("what is left of a crash: %+v %v", report, err)
	}
	locks, err := os.ReadDir(filepath.Join(b.state, "runs"))
	if err != nil || len(locks) != 2 { // the lock and the grant of the live one
		t.Errorf("locks: %v %v", locks, err)
	}
	if err := b.r.Cancel(t.Context(), b.project, live); err != nil {
		t.Fatal(err)
	}
	if r := b.ended(live); r.Status != run.Cancelled {
		t.Errorf("the live run is %s", r.Status)
	}
}

// Nothing stays of a run that somebody answered, also where a removal broke off.
func TestGCLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?}]\n", echo)
	id := b.start(nil)
	b.waits(id)
	if _, err := b.r.Answer(t.Context(), run.AnswerRequest{Project: b.project, ID: id, Answer: run.AnswerContinue, By: "ana"}); err != nil {
		t.Fatal(err)
	}
	b.ended(id)
	state := filepath.Join(b.state, "runs")
	grant := filepath.Join(state, id+".json")
	if err := os.Remove(grant); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(grant, "full"), 0o700); err != nil { // it cannot be removed
		t.Fatal(err)
	}
	if report, err := b.r.GC(t.Context(), b.project, time.Nanosecond, false); !fault.Is(err, fault.StorageFailure) || report.Runs != 0 {
		t.Errorf("%+v %v", report, err)
	}
	if err := os.RemoveAll(grant); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(b.project, ".belay", "runs", id), long, long); err != nil {
		t.Fatal(err)
	}
	if report, err := b.r.GC(t.Context(), b.project, 0, false); err != nil || report.Runs != 1 {
		t.Errorf("%+v %v", report, err)
	}
	for _, dir := range []string{state, filepath.Join(b.project, ".belay", "runs")} {
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s has %v, %v", dir, left, err)
		}
	}
}

// A file in the place of a project has no runs.
func TestGCOfAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, "id: flow\ntasks: [{id: ok, type: wait, message: Well?}]\n", echo)
	file := filepath.Join(t.TempDir(), "project")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := b.r.GC(t.Context(), file, 0, false); err != nil || report.Runs != 0 {
		t.Errorf("%+v %v", report, err)
	}
}
