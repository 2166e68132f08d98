package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"belay/internal/app"
	"belay/internal/quantity"
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
	// resumed is set where only what happens since the run was taken up again is
	// shown.
	resumed bool
	// asker puts questions to the person at the terminal, nil where there is none.
	asker *asker
	// questions wait for their answer; the first is at the prompt.
	questions []taskQuestion

	// begun are the tasks that have begun, atWork those among them that have not
	// ended, in their order. results says how those ended that succeeded or failed.
	begun   map[string]*runTask
	atWork  []string
	results map[string]run.Status
	live    liveLine
}

// runTask is a task that has begun.
type runTask struct {
	run.TaskBegun
	since time.Time
	// shown is set where an attempt had attachments, ended counts the tasks within
	// that have their result.
	shown bool
	ended int
	// failed counts those that failed, failureLines the lines about failures in a large
	// collection, at any depth.
	failed, failureLines int
}

func watcherOf(c *console, a *app.App, project, id string) *runWatcher {
	w := &runWatcher{c: c, runs: a.Runs, engine: a.Engine, project: project, id: id, begun: map[string]*runTask{}, results: map[string]run.Status{}}
	if c.errTerminal && !c.json {
		if c.asks() {
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
			before, since := whenResumed(batch)
			if err := w.recall(before); err != nil {
				return err
			}
			batch, w.resumed = since, false
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

// show prints one event.
func (w *runWatcher) show(ctx context.Context, e run.Event) error {
	if w.c.json {
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
		words := line(d.Workflow) + ", " + quantity.Count(d.Tasks, "task", "tasks")
		if e.Type == run.RunResume {
			w.resumes(d)
			words += "; taken up again, " + quantity.Count(w.done(), "is", "are") + " done"
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
		w.note("again", w.named(e.Task)+", in "+quantity.Duration(d.After)+": "+reasonOf(d.Error))
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
	before := ""
	if t := w.begins(e, d); t.ended > 0 {
		before = ", " + quantity.Count(t.ended, "is", "are") + " done"
	}
	switch d.Kind {
	case "parallel":
		w.note("begins", w.named(e.Task)+": "+quantity.Count(d.Of, "task", "tasks")+" at the same time"+before)
	case "collection":
		w.note("begins", w.named(e.Task)+": "+quantity.Count(d.Of, "item", "items")+before)
	}
}

// waits reports what the run waits for. Where somebody can answer here, it is put to them: after
// what is at the prompt, which must not be taken for the question of another task.
func (w *runWatcher) waits(ctx context.Context, key string, d *run.Waits) error {
	words, later := w.named(key), d.Message != "" && w.asker != nil && len(w.questions) > 0
	switch {
	case later:
		words += " for an answer, too"
	case d.Message != "":
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

// note is the console's, also while a question waits at the prompt.
func (w *runWatcher) note(label, text string) { w.asker.aside(func() { w.c.note(label, text) }) }
