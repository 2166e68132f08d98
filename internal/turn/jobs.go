package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
)

// endJobs ends the background jobs of the agent, whose work is done, and decides what
// becomes of what they changed. What fails for one of them ends nothing else.
func (t *running) endJobs() {
	if t.place == nil || t.place.Jobs == nil {
		return
	}
	jobs := t.place.Jobs.Of(t.agent)
	if len(jobs) == 0 {
		return
	}
	if err := t.unhold(); err != nil {
		t.l.o.Logger.Error("record the answer before the end of background jobs", "session", t.session, "turn", t.id, "error", err)
	}
	for _, j := range jobs {
		if err := t.endJob(j); err != nil && !errors.Is(err, ErrLeft) && (t.ctx.Err() == nil || !errors.Is(err, t.ctx.Err())) {
			t.l.o.Logger.Error("end a background job", "session", t.session, "turn", t.id, "job", j.ID, "error", err)
		}
	}
}

// endJob ends one job. Its changes are those of the call that started it; that has its
// result, so that the readers get a warning in its place.
func (t *running) endJob(j tool.StartedJob) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the end of a background job crashed", v, debug.Stack())
		}
	}()
	at, ok := j.Call.Value(callKey{}).(callContext)
	if !ok || !t.place.Jobs.Remove(j.ID) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.Call), changesTime)
	defer cancel()
	result, err := j.Job.End(ctx)
	if err != nil {
		return errors.Join(err, t.jobEnded(j, "it failed: "+err.Error()))
	}
	s := &step{id: at.step.id, nth: at.step.nth, name: at.step.name, input: at.step.input, result: result, job: true}
	if result.Changes == nil {
		return t.jobEnded(j, result.Text)
	}
	if t.ctx.Err() != nil || t.l.closing.Err() != nil {
		err = t.keepUnasked(s)
	} else {
		err = t.decideChanges(s)
	}
	n, recorded := t.recordJob(s)
	how := s.result.Text
	if n > 0 {
		how += fmt.Sprintf("\nwhat it changed counts: %d files", n)
	}
	return errors.Join(err, s.err, recorded, t.jobEnded(j, how))
}

// keepUnasked keeps the changes of a job whose turn was ended, or whose server stops:
// nobody can be asked, and no hook. What the mode or a rule refuses is dropped, as always.
func (t *running) keepUnasked(s *step) error {
	s.changes, s.result.Changes = s.result.Changes, nil
	ruling := t.policy.Judge(s.changes.Effect())
	return t.end(s, func(ctx context.Context) (tool.Result, error) {
		if ruling.Outcome == permit.Refuse {
			return s.changes.Discard(ctx, ruling.Reason)
		}
		return s.changes.Keep(ctx, t.unanswered().note)
	})
}

// recordJob puts on record what a job changed after its call had its result: so many
// files.
func (t *running) recordJob(s *step) (int, error) {
	changes := t.place.Ledger.Take()
	if len(changes) == 0 {
		return 0, nil
	}
	for i := range changes {
		changes[i].Call = s.id
	}
	changed, removed := session.Touched(changes)
	return len(changed) + len(removed), t.append(session.Entry{
		Kind: session.EntryChanges, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Changes: changes,
	})
}

// jobEndLines is how many of the last lines of a job's result its readers get.
const jobEndLines = 4

// jobEnded tells the readers how a job ended with its agent's work.
func (t *running) jobEnded(j tool.StartedJob, how string) error {
	lines := strings.Split(strings.TrimSpace(how), "\n")
	how = cutText(strings.Join(lines[max(0, len(lines)-jobEndLines):], "; "), maxWhy)
	return t.warn("JOB_ENDED", t.l.clean(fmt.Sprintf("the background job %s (%s) ended with the turn: %s", j.ID, j.Job.Line(), how)))
}
