package run

import (
	"context"
	"sync"
	"time"

	"belay/internal/authored"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/turn"
	"belay/internal/workflow/definition"
)

// The answers to a wait task.
const (
	AnswerContinue = "continue"
	AnswerRefuse   = "refuse"
	// AnswerTime is none: the time has passed.
	AnswerTime = "time"
)

// Answer is what became of a wait task.
type Answer struct {
	Answer string    `json:"answer"`
	Note   string    `json:"note,omitempty"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
	// DecisionID is that of the question that it answers. It is no answer to another one,
	// which the same task asks after the file or what it says was changed.
	DecisionID string `json:"decisionId,omitempty"`
}

// answerPoll is how soon the answer to a wait task is seen.
const answerPoll = 200 * time.Millisecond

// waitTask waits for a person's answer, or until the task's time has passed. The question and
// its answer are files of the operator's folder, so they outlive this process.
func (x *execution) waitTask(ctx context.Context, t *definition.Task, s scope, rec *Task) error {
	w, err := x.asked(t, s, rec)
	if err != nil {
		return err
	}
	if d := rec.Decided; d == nil || d.DecisionID != w.DecisionID {
		rec.Decided = nil
		if err := x.await(ctx, t, w, rec); err != nil {
			return err
		}
	}
	d := rec.Decided
	rec.Output = map[string]any{"answer": d.Answer, "note": d.Note, "by": d.By}
	switch {
	case d.Answer == AnswerRefuse:
		why := "it was refused"
		if d.By != "" {
			why = d.By + " refused"
		}
		if d.Note != "" {
			why += ": " + d.Note
		}
		return fault.New(fault.TaskFailed, "%s", why).With("category", "REFUSED")
	case d.Answer == AnswerTime && t.OnTime == definition.TimeRefuses:
		return fault.New(fault.TaskFailed, "nobody answered within %s", authored.LengthText(t.For)).With("category", "UNANSWERED")
	}
	return nil
}

// asked is what a wait task asks, or what time it waits for.
func (x *execution) asked(t *definition.Task, s scope, rec *Task) (w Waiting, err error) {
	if t.Message != nil {
		text, err := t.Message.Execute(x.eval.values(s))
		if err != nil {
			return w, invalid("the message of the task "+t.ID+" cannot be evaluated", problemOf(x.w.name, placed(err, t.At.Field("message"), t.Path+".message")))
		}
		if len(text) > maxWaitMessage {
			return w, fault.New(fault.TaskFailed, "the message of the task %s has %d bytes, more than %d", t.ID, len(text), maxWaitMessage).
				WithHint("name a file with the details in the message")
		}
		rec.Prompt = text
	}
	w = Waiting{RunID: x.id, Project: x.record.Project, Workflow: x.w.ID, Task: rec.Key, Message: rec.Prompt, Since: rec.StartedAt}
	w.DecisionID = decisionOf(w.RunID, w.Task, w.Message)
	if t.For > 0 {
		until := rec.StartedAt.Add(t.For)
		w.Until = &until
	}
	return w, nil
}

// await waits for the answer and puts it on record.
func (x *execution) await(ctx context.Context, t *definition.Task, w Waiting, rec *Task) error {
	if err := x.records.announce(rec, 0); err != nil {
		return err
	}
	if asksLong(t) && x.eval.onQuestion == turn.OnQuestionRefuse {
		if a, err := x.r.state.answerTo(w); err != nil || a == nil {
			return fault.New(fault.TaskFailed, unattended).With("category", causeUnattended).WithHint(hintWait)
		}
	}
	if err := x.r.state.beginWait(w); err != nil {
		return err
	}
	if err := x.records.journal.add(TaskWait, rec.Key, waitsOf(w)); err != nil {
		return err
	}
	p := pausesOf(ctx)
	p.pause()
	x.count(1, 0)
	a, done, err := x.answer(ctx, w, t.OnTime == definition.TimeContinues)
	defer done()
	x.count(-1, 0)
	p.resume()
	if err != nil && (stopped(ctx) == errInterrupted || fault.Is(err, fault.StorageFailure)) {
		return err // it goes on waiting in the next process, and an answer stays
	}
	if err == nil {
		rec.Decided = a
		if err := x.r.state.closeWait(w, *a); err != nil {
			return err
		}
		if err := x.records.keep(rec); err != nil {
			return err // the answer stays for the next process
		}
	}
	if e := x.r.state.endWait(x.id, rec.Key); err == nil {
		err = e
	}
	return err
}

// waitsOf is the event of a wait.
func waitsOf(w Waiting) Waits {
	e := Waits{Message: w.Message, Until: w.Until}
	if w.Message != "" {
		e.DecisionID = w.DecisionID
	}
	return e
}

// answer looks for the answer until there is one, or the time has passed. Done must be
// called when that is on record.
func (x *execution) answer(ctx context.Context, w Waiting, continues bool) (a *Answer, done func(), err error) {
	tick := time.NewTicker(answerPoll)
	defer tick.Stop()
	for {
		a, err := x.r.state.answerTo(w)
		if err != nil || a != nil {
			return a, func() {}, err
		}
		if w.Until != nil && !x.records.now().Before(*w.Until) {
			return outOfTime(ctx, x.r, w, continues)
		}
		select {
		case <-ctx.Done():
			return nil, func() {}, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// activity counts what a run does now. The zero value is ready.
type activity struct {
	mu sync.Mutex
	// waiting counts the wait tasks that wait, working the tasks that have a place.
	waiting, working int
}

func (a *activity) add(waiting, working int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting += waiting
	a.working += working
}

// count notes what the run does now. A runner that closes waits for work, not for a person:
// it stops the run where only waits are left.
func (x *execution) count(waiting, working int) {
	x.activity.add(waiting, working)
	x.r.mu.Lock()
	defer x.r.mu.Unlock()
	if x.r.closed && x.activity.idle() {
		x.stop(errInterrupted) // the next process goes on waiting
	}
}

// idle reports whether the run does nothing but wait for a person or a time.
func (a *activity) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting > 0 && a.working == 0
}

// messageOf is a template's text for the record of what a task rests on.
func messageOf(t *template.Template) string {
	if t == nil {
		return ""
	}
	return t.Text()
}
