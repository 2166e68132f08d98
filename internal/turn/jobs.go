package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
)

// endJobs ends the background jobs of the agent, whose work is done or failed, and
// decides the outcome of what they changed. What fails for one of them ends nothing
// else. The error is ErrLeft where the question about one of them is left to the next
// server.
func (t *agentRun) endJobs(failed bool) (left error) {
	if t.environment == nil || t.environment.Jobs == nil {
		return nil
	}
	jobs := t.environment.Jobs.Of(t.agent)
	if len(jobs) == 0 {
		return nil
	}
	if err := t.unhold(); err != nil {
		t.l.o.Logger.Error("record the answer before the end of background jobs", "session", t.session, "turn", t.id, "error", err)
	}
	t.stopJobs(jobs)
	for _, j := range jobs {
		err := t.endJob(j, failed)
		if errors.Is(err, ErrLeft) {
			left = ErrLeft
		} else if err != nil && (t.ctx.Err() == nil || !errors.Is(err, t.ctx.Err())) {
			t.l.o.Logger.Error("end a background job", "session", t.session, "turn", t.id, "job", j.ID, "error", err)
		}
	}
	return left
}

// stopJobs stops all jobs at once: each may take some time to end by itself.
func (t *agentRun) stopJobs(jobs []tool.StartedJob) {
	var all sync.WaitGroup
	for _, j := range jobs {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil { // its end says what is wrong
					t.l.o.Logger.Error("stop a background job", "session", t.session, "turn", t.id, "job", j.ID, "panic", v)
				}
			}()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(j.Call), changesTime)
			defer cancel()
			j.Job.Stop(ctx)
		})
	}
	all.Wait()
}

// endJob ends one job. Its changes are those of the call that started it; that has its
// result, so that the readers get a warning in its place.
func (t *agentRun) endJob(j tool.StartedJob, failed bool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the end of a background job crashed", v, debug.Stack())
		}
	}()
	at, ok := j.Call.Value(callKey{}).(callContext)
	if !ok || !t.environment.Jobs.Remove(j.ID) {
		return nil
	}
	name := fmt.Sprintf("%s (%s)", j.ID, j.Job.Line())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.Call), changesTime)
	defer cancel()
	result, err := j.Job.End(ctx)
	if err != nil {
		return errors.Join(err, t.jobEnded(name, "it failed: "+err.Error()))
	}
	s := &toolCall{id: at.step.id, nth: at.step.nth, name: at.step.name, input: at.step.input, result: result, closes: failed}
	if result.Changes == nil {
		return t.jobEnded(name, result.Text)
	}
	if t.ctx.Err() != nil || t.l.closing.Err() != nil {
		err = t.keepUnasked(s)
	} else if err = t.decideChanges(s); errors.Is(err, ErrLeft) {
		return err
	}
	return errors.Join(err, t.settleJob(s, name))
}

// settleJob puts on record what a job changed, and reports to the readers how it ended.
func (t *agentRun) settleJob(s *toolCall, name string) error {
	n, err := t.recordJob(s)
	how := s.result.Text
	if n > 0 {
		how += fmt.Sprintf("\nwhat it changed counts: %d files", n)
	}
	return errors.Join(s.err, err, t.jobEnded(name, how))
}

// endAgain ends the work of an agent whose process died when all was done but the
// question about the changes of a background job. Last is its last answer.
func (t *agentRun) endAgain(last *conversation.Answer) (completion, error) {
	if err := t.decideJobAgain(); err != nil {
		return completion{}, err
	}
	lines := t.suspendedCall.entries
	at := slices.IndexFunc(lines, func(e session.Entry) bool { return e.Kind == session.EntryAssistant && e.Partial })
	switch {
	case at >= 0 || last == nil:
		return completion{}, died()
	case len(last.Calls) == 0:
		return completion{reason: string(model.StopEndTurn), text: last.Said()}, nil
	case t.window.Calls() >= t.settings.maxTurns:
		return completion{reason: string(model.StopMaxTurns), text: last.Said()}, nil
	}
	return completion{}, died()
}

// decideJobAgain takes up the question about the changes of a background job, or its
// answer. The job has ended with the process that ran it.
func (t *agentRun) decideJobAgain() error {
	h := t.suspendedCall
	if err := t.openEnvironment(); err != nil {
		return err
	}
	name, _ := t.tools.Canonical(h.waits.Name)
	s := &toolCall{id: h.waits.ID, nth: h.nth, name: name, input: h.waits.Input, suspended: h}
	t.prepareStep(s)
	if !s.settled && t.waits(s) {
		t.runStep(s)
	}
	if s.err != nil {
		return s.err
	}
	if s.result.Changes == nil { // somebody has applied or dropped them
		return t.dropQuestion(h, s.result.Text)
	}
	about := conversation.CutText(strings.Join(strings.Fields(s.effect.Act()), " "), jobNameBytes)
	if err := t.decideChanges(s); errors.Is(err, ErrLeft) {
		return err
	} else if err != nil {
		return errors.Join(err, t.dropQuestion(h, s.result.Text))
	}
	return errors.Join(t.dropQuestion(h, s.result.Text), t.settleJob(s, "("+about+")"))
}

// jobNameBytes is how much of its command names a job whose number nobody knows.
const jobNameBytes = 80

// keepUnasked keeps the changes of a job whose turn was ended, or whose server stops:
// nobody can be asked, and no hook. What the mode or a rule refuses is dropped, as always.
func (t *agentRun) keepUnasked(s *toolCall) error {
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
func (t *agentRun) recordJob(s *toolCall) (int, error) {
	changes := t.environment.Ledger.Take()
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

// jobEnded reports to the readers how a job ended with its agent's work.
func (t *agentRun) jobEnded(name, how string) error {
	lines := strings.Split(strings.TrimSpace(how), "\n")
	how = conversation.CutText(strings.Join(lines[max(0, len(lines)-jobEndLines):], "; "), maxWhy)
	return t.warn("JOB_ENDED", t.l.clean(fmt.Sprintf("the background job %s ended with the turn: %s", name, how)))
}
