package run

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/permit"
)

// Answered is a person's answer to the task: it continues, or is refused.
func (w Waiting) Answered(continues bool, note, by string) AnswerRequest {
	a := AnswerRequest{Project: w.Project, ID: w.RunID, Task: w.Task, DecisionID: w.DecisionID, Answer: AnswerRefuse, Note: note, By: by}
	if continues {
		a.Answer = AnswerContinue
	}
	return a
}

// AnswerRequest is a person's answer to a wait task.
type AnswerRequest struct {
	Project, ID string
	// Task is the task's key. It may be left out where the run waits in one task only.
	Task string
	// DecisionID, where it is set, is that of the question which the person saw: the answer is
	// for no other one.
	DecisionID string
	// Answer is [AnswerContinue] or [AnswerRefuse].
	Answer, Note, By string
}

// Answer answers a wait task of a run. It counts at once where a process works on the run,
// and else when the run is taken up. The first answer counts: DECISION_CLOSED where there
// is one, also after the run has gone on; NOT_FOUND where nothing waited. The caller has
// the operator's authority.
func (r *Runner) Answer(ctx context.Context, a AnswerRequest) (Waiting, error) {
	if a.Answer != AnswerContinue && a.Answer != AnswerRefuse {
		return Waiting{}, fault.New(fault.InvalidRequest, "answer must be %s or %s", AnswerContinue, AnswerRefuse).With("field", "answer")
	}
	a.Note = r.o.Redact.Known(a.Note)
	if err := (permit.Decision{Verdict: permit.VerdictAllow, By: a.By, Note: a.Note}).Check(); err != nil {
		return Waiting{}, err
	}
	f, err := openFolder(a.Project, a.ID)
	if err != nil {
		return Waiting{}, err
	}
	f.close()
	w, err := r.waitOf(ctx, a)
	if err != nil {
		return w, r.state.tooLate(a, err)
	}
	l, err := r.state.lockAnswers(a.ID)
	if errors.Is(err, durable.ErrLocked) {
		return w, fault.New(fault.Overloaded, "somebody answers the run %s just now", a.ID).WithHint("try it again")
	} else if err != nil {
		return w, err
	}
	defer func() { _ = l.Unlock() }()
	asked, err := r.state.waiting(waitPath(r.state, w) + waitSuffix)
	if errors.Is(err, fs.ErrNotExist) { // the run has gone on since it was looked up
		a.Task = w.Task
		return w, r.state.tooLate(a, fault.New(fault.NotFound, "the task %s of the run %s waits no more", w.Task, w.RunID).With("runId", w.RunID))
	} else if err != nil {
		return w, err
	}
	if asked.DecisionID != w.DecisionID || a.DecisionID != "" && a.DecisionID != w.DecisionID {
		return w, fault.New(fault.DecisionClosed, "the task %s of the run %s asks something else now", w.Task, w.RunID).With("runId", w.RunID).
			With("decisionId", asked.DecisionID).WithHint("read its question with belay runs show %s, and answer that", w.RunID)
	}
	switch given, err := r.state.answerTo(w); {
	case err != nil:
		return w, err
	case given != nil:
		return w, closed(w, *given)
	}
	w.Answer = &Answer{a.Answer, a.Note, a.By, r.o.Clock().UTC(), w.DecisionID}
	if err := audited(ctx, r, w); err != nil { // first, so that no answer counts without its line
		return w, err
	}
	return w, r.state.writeState(waitName(w.RunID, w.Task)+answerSuffix, w.Answer, durable.RunAnswer)
}

// audited puts what became of a wait task on the audit log.
func audited(ctx context.Context, r *Runner, w Waiting) error {
	if r.o.Answered == nil {
		return nil
	}
	if err := r.o.Answered(ctx, w); err != nil {
		return storage("the answer cannot be put on record", err)
	}
	return nil
}

// lockAnswers keeps others from answering the wait tasks of a run. The error is
// [durable.ErrLocked] where somebody answers one just now.
func (s state) lockAnswers(id string) (*durable.FileLock, error) {
	l, err := durable.Lock(filepath.Join(s.dir, id+answeringSuffix))
	if err != nil && !errors.Is(err, durable.ErrLocked) {
		err = storage("the state folder cannot be written", err)
	}
	return l, err
}

// outOfTime is what becomes of a wait task whose time has passed: nobody can answer it any
// more until done is called, and an answer that came in the last moment counts.
func outOfTime(ctx context.Context, r *Runner, w Waiting, continues bool) (a *Answer, done func(), err error) {
	l, err := r.state.lockAnswers(w.RunID)
	for ; errors.Is(err, durable.ErrLocked); l, err = r.state.lockAnswers(w.RunID) {
		select {
		case <-ctx.Done():
			return nil, func() {}, context.Cause(ctx)
		case <-time.After(answerPoll):
		}
	}
	if err != nil {
		return nil, func() {}, err
	}
	done = func() { _ = l.Unlock() }
	if a, err = r.state.answerTo(w); err != nil || a != nil {
		return a, done, err
	}
	a = &Answer{Answer: AnswerTime, At: r.o.Clock().UTC(), DecisionID: w.DecisionID}
	if w.Message == "" {
		return a, done, nil // nobody was asked
	}
	w.Answer = &Answer{Answer: AnswerRefuse, Note: "nobody answered in time", By: permit.ByTimeout, At: a.At, DecisionID: w.DecisionID}
	if continues {
		w.Answer.Answer = AnswerContinue
	}
	return a, done, audited(ctx, r, w)
}

// waitOf is the wait task that an answer is for.
func (r *Runner) waitOf(ctx context.Context, a AnswerRequest) (Waiting, error) {
	all, err := r.Waits(ctx, a.ID)
	if err != nil {
		return Waiting{}, err
	}
	var keys []string
	for _, w := range all {
		if w.Task == a.Task || a.Task == "" && len(all) == 1 {
			return w, nil
		}
		keys = append(keys, w.Task)
	}
	switch {
	case a.Task == "" && len(all) > 1:
		return Waiting{}, fault.New(fault.InvalidRequest, "several tasks of the run %s wait: %s", a.ID, strings.Join(keys, ", ")).With("field", "task").
			WithHint("name one of them")
	case a.Task != "" && len(all) > 0:
		return Waiting{}, fault.New(fault.NotFound, "the task %q of the run %s does not wait; these wait: %s", fault.Clip(a.Task), a.ID, strings.Join(keys, ", ")).With("field", "task").
			WithHint("name a task that waits")
	}
	return Waiting{}, fault.New(fault.NotFound, "the run %s waits for nobody", a.ID).With("runId", a.ID).WithHint("see its tasks with belay runs show %s", a.ID)
}
