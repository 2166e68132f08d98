package cli

import (
	"context"
	"slices"
	"strings"

	"belay/internal/quantity"
	"belay/internal/workflow/run"
)

// end prints how a task ended, and below it the outcome of its attachments.
func (w *runWatcher) end(ctx context.Context, e run.Event, d *run.TaskEnded) {
	asked := func(q taskQuestion) bool { return q.wait != nil && q.key == e.Task }
	if i := slices.IndexFunc(w.questions, asked); i >= 0 {
		w.asker.settled(w.questions[i].id())
		defer w.drop(ctx, asked)
	}
	if w.folded(e, d, w.ends(e, d)) {
		return
	}
	t := w.begun[e.Task]
	var rec run.Task
	if t != nil && (t.shown || d.Refused > 0 || t.Index != nil) {
		rec, _ = w.runs.Task(ctx, w.project, w.id, e.Task) // without it the line says less
	}
	words := w.named(e.Task)
	if rec.Item != nil {
		words += " " + brief(rec.Item)
	}
	if d.Route != "" {
		words += " → " + d.Route
	}
	var facts []string
	if t != nil {
		facts = append(facts, quantity.Duration(e.Time.Sub(t.since)))
	}
	facts = append(facts, spent(d.Tokens, d.CostUSD)...)
	if d.Calls != nil {
		facts = append(facts, d.Calls.String())
	}
	if len(facts) > 0 {
		words += " · " + strings.Join(facts, ", ")
	}
	if d.Error != nil {
		words += ": " + reasonOf(d.Error)
	}
	w.note(runState(d.Status), words)
	if len(rec.Attachments) > 0 {
		w.asker.aside(func() { noteReports(w.c, rec.Attachments, w.depth(e.Task), "belay runs show "+w.id+" --task "+e.Task) })
	}
}

// What is shown of a large collection: a line for each tenth of it, and its first failures.
const (
	largeCollection = 50
	shownTenths     = 10
	shownFailures   = 20
)

// folded reports whether the end of a task has no line of its own: it is one of
// many in a large collection, which is reported as a whole.
func (w *runWatcher) folded(e run.Event, d *run.TaskEnded, hasResult bool) bool {
	large, member := w.large(e.Task)
	if large == "" {
		return false
	}
	t := w.begun[large]
	if member == e.Task && hasResult {
		if part := max(t.Of/shownTenths, 1); t.ended%part == 0 && t.ended < t.Of {
			words := w.named(large) + ": " + grouped(int64(t.ended)) + " of " + grouped(int64(t.Of))
			if t.failed > 0 {
				words += ", " + grouped(int64(t.failed)) + " failed"
			}
			w.note("done", words)
		}
		if d.Status != run.Failed {
			delete(w.begun, e.Task)
		}
	}
	if d.Status != run.Failed {
		return true
	}
	if t.failureLines++; t.failureLines == shownFailures+1 {
		w.note("failed", w.named(large)+": more of its tasks, which belay runs show "+w.id+" lists")
	}
	return t.failureLines > shownFailures
}

// named is a task as the progress names it: below the one that holds it.
func (w *runWatcher) named(key string) string {
	name := key
	if up := w.within(key); up != "" {
		name = key[len(up)+1:]
	}
	return strings.Repeat("  ", w.depth(key)) + line(name)
}

// within is the key of the task that holds this one, "" for none.
func (w *runWatcher) within(key string) string {
	for i := strings.LastIndexByte(key, '/'); i > 0; i = strings.LastIndexByte(key[:i], '/') {
		if w.begun[key[:i]] != nil {
			return key[:i]
		}
	}
	return ""
}

func (w *runWatcher) depth(key string) (n int) {
	for key = w.within(key); key != ""; key = w.within(key) {
		n++
	}
	return n
}
