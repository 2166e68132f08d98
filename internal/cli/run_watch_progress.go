package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"belay/internal/quantity"
	"belay/internal/workflow/run"
)

// whenResumed divides events where the run was taken up last.
func whenResumed(batch []run.Event) (before, since []run.Event) {
	for i, e := range slices.Backward(batch) {
		if e.Type == run.RunResume {
			return batch[:i], batch[i:]
		}
	}
	return nil, batch
}

// begins notes that a task has begun. What had its result within it, before the run was taken
// up, still counts.
func (w *runWatcher) begins(e run.Event, d *run.TaskBegun) *runTask {
	t := &runTask{TaskBegun: *d, since: e.Time}
	if before := w.begun[e.Task]; before != nil {
		t.ended, t.failed, t.failureLines = before.ended, before.failed, before.failureLines
	}
	if status, again := w.results[e.Task]; again {
		w.count(e.Task, status, -1)
		delete(w.results, e.Task)
	}
	w.begun[e.Task] = t
	if !slices.Contains(w.atWork, e.Task) {
		w.atWork = append(w.atWork, e.Task)
	}
	return t
}

// ends notes that a task has ended. It reports whether the task has its result: one that was
// stopped is done again when the run is taken up.
func (w *runWatcher) ends(e run.Event, d *run.TaskEnded) bool {
	w.atWork = slices.DeleteFunc(w.atWork, func(key string) bool { return key == e.Task })
	if d.Status != run.Success && d.Status != run.Failed {
		return false
	}
	w.results[e.Task] = d.Status
	w.count(e.Task, d.Status, 1)
	return true
}

// count adds n results to the task that holds the one of a key.
func (w *runWatcher) count(key string, status run.Status, n int) {
	up := w.within(key)
	if up == "" {
		return
	}
	if w.begun[up].ended += n; status == run.Failed {
		w.begun[up].failed += n
	}
}

// recall takes in what happened before the run was taken up, and shows nothing of it.
func (w *runWatcher) recall(events []run.Event) error {
	for _, e := range events {
		d, err := decodeRun(e)
		if err != nil {
			return err
		}
		switch d := d.(type) {
		case *run.Begun:
			w.resumes(d)
		case *run.TaskBegun:
			w.begins(e, d)
		case *run.TaskEnded:
			w.ends(e, d)
		}
	}
	return nil
}

// resumes notes that a process has taken the run up: nothing of the one before is at work, and
// what is done again with a corrected file has no result.
func (w *runWatcher) resumes(d *run.Begun) {
	w.atWork = nil
	for _, k := range d.Kept {
		if k.Again == "" {
			continue // each task within that is done again says so when it begins
		}
		maps.DeleteFunc(w.results, func(key string, _ run.Status) bool { return key == k.Task || strings.HasPrefix(key, k.Task+"/") })
		if t := w.begun[k.Task]; t != nil {
			t.ended, t.failed = 0, 0
		}
	}
}

// done counts the tasks of the file that have succeeded.
func (w *runWatcher) done() (n int) {
	for key, status := range w.results {
		if status == run.Success && !strings.Contains(key, "/") {
			n++
		}
	}
	return n
}

// large is the large collection that a task is in, and the key of what it is within that one,
// "" for none.
func (w *runWatcher) large(key string) (large, member string) {
	for member = key; ; member = large {
		if large = w.within(member); large == "" {
			return "", ""
		}
		if t := w.begun[large]; t.Kind == "collection" && t.Of > largeCollection {
			return large, member
		}
	}
}

// underWay says what is at work now, in a line.
func (w *runWatcher) underWay(now time.Time) string {
	var parts []string
	for _, key := range w.atWork {
		t := w.begun[key]
		if t.Of > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", line(key), t.ended, t.Of))
			continue
		}
		parts = append(parts, line(key)+" "+quantity.Duration(max(now.Sub(t.since), 0).Truncate(time.Second)))
	}
	return strings.Join(parts, " · ")
}
