package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"belay/internal/app"
	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// runWatcher shows a run as it goes on, a line for each task, on stderr. It is used
// by one goroutine.
type runWatcher struct {
	c       *console
	runs    *run.Runner
	engine  turn.Engine
	project string
	id      string
	json    bool
	// resumed is set where only what happens since the run was taken up again is
	// shown.
	resumed bool
	// asker puts questions to the person at the terminal, nil where there is none.
	asker *asker
	// questions wait for their answer; the first is at the prompt.
	questions []taskQuestion

	// begun are the tasks that have begun, atWork those among them that have not
	// ended, in their order.
	begun  map[string]*runTask
	atWork []string
	live   liveLine
}

// taskQuestion is what a task waits for.
type taskQuestion struct {
	pending
	key string
}

// runTask is a task that has begun.
type runTask struct {
	run.TaskBegun
	since time.Time
	// shown is set where an attempt had attachments, ended counts the tasks within
	// that have ended.
	shown bool
	ended int
	// failed counts those of a large collection, at any depth.
	failed int
}

func watcherOf(c *console, a *app.App, project, id string, asJSON bool) *runWatcher {
	w := &runWatcher{c: c, runs: a.Runs, engine: a.Engine, project: project, id: id, json: asJSON, begun: map[string]*runTask{}}
	if c.errTerminal && !asJSON {
		if c.asks(asJSON) {
			w.asker = &asker{c: c, engine: a.Engine, runs: a.Runs}
		}
		w.live = liveLine{c: c, on: c.env["TERM"] != "dumb"}
	}
	return w
}

// glance is how often what is under way is shown anew.
const glance = 500 * time.Millisecond

// watch shows events until nobody works on the run any more, or ctx is done.
func (w *runWatcher) watch(ctx context.Context) error {
	events, err := w.runs.Follow(ctx, w.project, w.id, 0)
	if err != nil {
		return err
	}
	defer func() { _ = events.Close() }() // it was only read
	defer w.live.erase()
	for {
		batch, err := w.next(ctx, events)
		if w.resumed && len(batch) > 0 {
			batch, w.resumed = sinceResumed(batch), false
		}
		for _, e := range batch {
			w.live.erase()
			if err := w.show(ctx, e); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if len(w.questions) == 0 {
			w.live.draw(w.underWay(time.Now()))
		}
	}
}

// next is the stream's, but comes back now and then with nothing.
func (w *runWatcher) next(ctx context.Context, s run.Stream) ([]run.Event, error) {
	soon, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	batch, err := s.Next(soon)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return batch, nil
	}
	return batch, err
}

// sinceResumed are the events from the last time on that the run was taken up.
func sinceResumed(batch []run.Event) []run.Event {
	for i, e := range slices.Backward(batch) {
		if e.Type == run.RunResume {
			return batch[i:]
		}
	}
	return batch
}

// show prints one event.
func (w *runWatcher) show(ctx context.Context, e run.Event) error {
	if w.json {
		line, err := json.Marshal(e)
		w.c.write(string(line) + "\n")
		return err
	}
	d, err := decodeRun(e)
	if err != nil {
		return err
	}
	switch d := d.(type) {
	case *run.Begun:
		words := line(d.Workflow) + ", " + count(d.Tasks, "task", "tasks")
		if e.Type == run.RunResume {
			words += "; taken up again, " + count(d.Done, "is", "are") + " done"
		}
		w.note("workflow", words)
		for _, k := range d.Kept {
			w.note(keptWords(k))
		}
	case *run.TaskBegun:
		w.start(e, d)
	case *run.Tried:
		w.tried(e.Task, d)
	case *run.Again:
		w.note("again", w.named(e.Task)+", in "+lasted(d.After)+": "+reasonOf(d.Error))
	case *run.Asked:
		w.asked(ctx, e, d)
	case *run.Waits:
		return w.waits(ctx, e.Task, d)
	case *run.TaskEnded:
		w.end(ctx, e, d)
	}
	return nil
}

// decodeRun reads an event's payload into the type that its type says; nil for one
// of a newer program.
func decodeRun(e run.Event) (any, error) {
	var d any
	switch e.Type {
	case run.RunStart, run.RunResume:
		d = &run.Begun{}
	case run.TaskStart:
		d = &run.TaskBegun{}
	case run.TaskAttempt:
		d = &run.Tried{}
	case run.TaskQuestion, run.TaskAnswer:
		d = &run.Asked{}
	case run.TaskWait:
		d = &run.Waits{}
	case run.TaskRetry:
		d = &run.Again{}
	case run.TaskEnd:
		d = &run.TaskEnded{}
	case run.RunEnd:
		d = &run.Ended{}
	default:
		return nil, nil
	}
	if err := json.Unmarshal(e.Data, d); err != nil {
		return nil, fmt.Errorf("event %d (%s) is not readable: %w", e.Seq, e.Type, err)
	}
	return d, nil
}

// start notes that a task has begun; of one that holds others it is reported.
func (w *runWatcher) start(e run.Event, d *run.TaskBegun) {
	w.begun[e.Task] = &runTask{TaskBegun: *d, since: e.Time}
	if !slices.Contains(w.atWork, e.Task) {
		w.atWork = append(w.atWork, e.Task)
	}
	switch d.Kind {
	case "parallel":
		w.note("begins", w.named(e.Task)+": "+count(d.Of, "task", "tasks")+" at the same time")
	case "collection":
		w.note("begins", w.named(e.Task)+": "+count(d.Of, "item", "items"))
	}
}

// waits reports what the run waits for. Where somebody can answer here, it is put to them.
func (w *runWatcher) waits(ctx context.Context, key string, d *run.Waits) error {
	words := w.named(key)
	if d.Message != "" {
		words += ": " + render.Visible(d.Message)
	}
	if d.Until != nil {
		words += ", until " + when(*d.Until)
	}
	w.note("waits", words)
	if d.Message == "" {
		return nil
	}
	open, err := w.runs.Waits(ctx, w.id)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(open, func(o run.Waiting) bool { return o.Task == key }); i >= 0 { // else it has its answer
		w.queue(ctx, taskQuestion{pending{wait: &open[i]}, key})
	}
	return nil
}

func (w *runWatcher) tried(key string, d *run.Tried) {
	if t := w.begun[key]; t != nil {
		t.shown = t.shown || d.Attachments > 0
	}
	if d.Repair {
		w.note("again", w.named(key)+": the answer was not of the wanted form")
	}
}

// end prints how a task ended, and below it the outcome of its attachments.
func (w *runWatcher) end(ctx context.Context, e run.Event, d *run.TaskEnded) {
	asked := func(q taskQuestion) bool { return q.wait != nil && q.key == e.Task }
	if i := slices.IndexFunc(w.questions, asked); i >= 0 {
		w.asker.settled(w.questions[i].id())
		defer w.drop(ctx, asked)
	}
	w.atWork = slices.DeleteFunc(w.atWork, func(key string) bool { return key == e.Task })
	if up := w.within(e.Task); up != "" {
		w.begun[up].ended++
	}
	if w.folded(e, d) {
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
		facts = append(facts, lasted(e.Time.Sub(t.since)))
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

// folded reports whether the end of a task is not told in a line of its own: it is one of
// many in a large collection, which is reported as a whole.
func (w *runWatcher) folded(e run.Event, d *run.TaskEnded) bool {
	large, member := "", e.Task
	for up := w.within(e.Task); up != ""; up = w.within(up) {
		if t := w.begun[up]; t.Kind == "collection" && t.Of > largeCollection {
			large = up
			break
		}
		member = up
	}
	if large == "" {
		return false
	}
	t := w.begun[large]
	if member == e.Task {
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
	t.failed++
	if t.failed == shownFailures+1 {
		w.note("failed", w.named(large)+": more of its tasks, which belay runs show "+w.id+" lists")
	}
	return t.failed > shownFailures
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

// underWay says what is at work now, in a line.
func (w *runWatcher) underWay(now time.Time) string {
	var parts []string
	for _, key := range w.atWork {
		t := w.begun[key]
		if t.Of > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", line(key), t.ended, t.Of))
			continue
		}
		parts = append(parts, line(key)+" "+lasted(max(now.Sub(t.since), 0).Truncate(time.Second)))
	}
	return strings.Join(parts, " · ")
}

// note is the console's, also while a question waits at the prompt.
func (w *runWatcher) note(label, text string) { w.asker.aside(func() { w.c.note(label, text) }) }

// asked reports a question and its answer. One question at a time is at the
// prompt; others can be answered elsewhere meanwhile.
func (w *runWatcher) asked(ctx context.Context, e run.Event, d *run.Asked) {
	if e.Type == run.TaskAnswer {
		w.answered(ctx, e.Task, d)
		return
	}
	open, err := w.engine.Decisions(ctx, d.Session)
	i := slices.IndexFunc(open, func(r permit.Request) bool { return r.ID == d.DecisionID })
	switch {
	case err != nil:
		w.c.warn(fmt.Sprintf("%s waits for a decision, which cannot be read: %v", e.Task, err))
		return
	case i < 0:
		return // it has its answer
	}
	w.queue(ctx, taskQuestion{pending{call: open[i]}, e.Task})
}

// queue has a question asked when those before it are answered.
func (w *runWatcher) queue(ctx context.Context, q taskQuestion) {
	w.questions = append(w.questions, q)
	switch first := len(w.questions) == 1; {
	case q.wait == nil && !first:
		w.note("waits", w.named(q.key)+" for a decision, too")
	case q.wait == nil:
		w.note("waits", w.named(q.key)+" for a decision")
		w.put(ctx)
	case first:
		w.put(ctx)
	}
}

// put asks the first question, whose task was named.
func (w *runWatcher) put(ctx context.Context) {
	if q := w.questions[0]; q.wait != nil {
		_, _ = io.WriteString(w.c.err, answerLines(w.c, q.pending, w.c.paint(styleQuiet, "answer"), noteCells)) // the sink keeps its first error
	} else {
		noteQuestion(w.c, q.call)
	}
	w.asker.ask(ctx, w.questions[0].pending)
}

func (w *runWatcher) answered(ctx context.Context, key string, d *run.Asked) {
	w.asker.settled(d.DecisionID)
	words := w.named(key) + ": " + verdictWord(permit.Verdict(d.Verdict))
	if d.By != "" {
		words += " by " + line(d.By)
	}
	w.c.note("decided", words)
	w.drop(ctx, func(q taskQuestion) bool { return q.id() == d.DecisionID })
}

// drop takes questions away that are answered, and asks the next one.
func (w *runWatcher) drop(ctx context.Context, answered func(taskQuestion) bool) {
	first := len(w.questions) > 0 && answered(w.questions[0])
	if w.questions = slices.DeleteFunc(w.questions, answered); first && len(w.questions) > 0 {
		words := w.named(w.questions[0].key)
		if q := w.questions[0].wait; q != nil {
			words += ": " + render.Visible(q.Message)
		} else {
			words += " for a decision"
		}
		w.note("waits", words)
		w.put(ctx)
	}
}
