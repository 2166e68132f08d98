package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// taskQuestion is what a task waits for.
type taskQuestion struct {
	pending
	key string
}

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
