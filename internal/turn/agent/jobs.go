package agent

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
	"belay/internal/quantity"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/turn/conversation"
	"belay/internal/turn/ending"
)

// backgroundJobs are the background jobs of one agent.
type backgroundJobs struct{ run *Run }

// end ends the background jobs of the agent, whose work is done or failed, and
// decides the outcome of what they changed. What fails for one of them ends nothing
// else. The error is [ErrSuspended] where the question about one of them is left to the next
// server.
func (b *backgroundJobs) end(failed bool) (left error) {
	if b.run.environment == nil || b.run.environment.Jobs == nil {
		return nil
	}
	jobs := b.run.environment.Jobs.Of(b.run.agent)
	if len(jobs) == 0 {
		return nil
	}
	if err := b.run.Transcript.flush(); err != nil {
		b.run.Logger.Error("record the answer before the end of background jobs", "error", err)
	} else if owed := b.run.Events.TakeOwed(); len(owed) > 0 {
		// The question about their changes may outlive this process. A report of usage says
		// that the answer is on record, so it goes out only behind that.
		if err := b.run.Events.Emit(owed...); err != nil {
			b.run.Events.Owe(owed...)
			b.run.Logger.Error("report the usage before the end of background jobs", "error", err)
		}
	}
	b.stop(jobs)
	for _, j := range jobs {
		err := b.endOne(j, failed)
		if errors.Is(err, ErrSuspended) {
			left = ErrSuspended
		} else if err != nil && (b.run.Context.Err() == nil || !errors.Is(err, b.run.Context.Err())) {
			b.run.Logger.Error("end a background job", "job", j.ID, "error", err)
		}
	}
	return left
}

// stop stops all jobs at once: each may take some time to end by itself.
func (b *backgroundJobs) stop(jobs []tool.StartedJob) {
	var all sync.WaitGroup
	for _, j := range jobs {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil { // its end says what is wrong
					b.run.Logger.Error("stop a background job", "job", j.ID, "panic", v)
				}
			}()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(j.Call), changesTime)
			defer cancel()
			j.Job.Stop(ctx)
		})
	}
	all.Wait()
}

// endOne ends one job. Its changes are those of the call that started it; that has its
// result, so that the readers get a warning in its place.
func (b *backgroundJobs) endOne(j tool.StartedJob, failed bool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the end of a background job crashed", v, debug.Stack())
		}
	}()
	of := callOf(j.Call)
	if of == nil || !b.run.environment.Jobs.Remove(j.ID) {
		return nil
	}
	name := fmt.Sprintf("%s (%s)", j.ID, j.Job.Line())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.Call), changesTime)
	defer cancel()
	result, err := j.Job.End(ctx)
	if err != nil {
		return errors.Join(err, b.reportEnd(name, "it failed: "+err.Error()))
	}
	s := &toolCall{run: b.run, id: of.id, nth: of.nth, name: of.name, input: of.input, result: result, closes: failed}
	if result.Changes == nil {
		return b.reportEnd(name, result.Text)
	}
	if b.run.Context.Err() != nil || b.run.Closing.Err() != nil {
		err = s.keepChanges()
	} else if err = s.decideChanges(); errors.Is(err, ErrSuspended) {
		return err
	}
	return errors.Join(err, b.settle(s, name))
}

// settle puts on record what a job changed, and reports to the readers how it ended.
func (b *backgroundJobs) settle(s *toolCall, name string) error {
	n, err := b.record(s)
	how := s.result.Text
	if n > 0 {
		how += "\nwhat it changed counts: " + quantity.Count(n, "file", "files")
	}
	return errors.Join(s.err, err, b.reportEnd(name, how))
}

// endAgain ends the work of an agent whose process died when all was done but the
// question about the changes of a background job. Last is its last answer.
func (b *backgroundJobs) endAgain(last *conversation.Answer) (Completion, error) {
	if err := b.decideAgain(); err != nil {
		return Completion{}, err
	}
	lines := b.run.suspended.Entries
	at := slices.IndexFunc(lines, func(e session.Entry) bool { return e.Kind == session.EntryAssistant && e.Partial })
	switch {
	case at >= 0 || last == nil:
		return Completion{}, ending.Died()
	case len(last.Calls) == 0:
		return Completion{Reason: string(model.StopEndTurn), Text: last.Said()}, nil
	case b.run.window.Calls() >= b.run.Settings.MaxTurns:
		return Completion{Reason: string(model.StopMaxTurns), Text: last.Said()}, nil
	}
	return Completion{}, ending.Died()
}

// decideAgain takes up the question about the changes of a background job, or its
// answer. The job has ended with the process that ran it.
func (b *backgroundJobs) decideAgain() error {
	h := b.run.suspended
	if err := b.run.openEnvironment(); err != nil {
		return err
	}
	name, _ := b.run.Tools.Canonical(h.Waits.Name)
	s := &toolCall{run: b.run, id: h.Waits.ID, nth: h.Nth, name: name, input: h.Waits.Input, suspended: h}
	s.prepare()
	if !s.settled && s.ranBefore() {
		s.execute()
	}
	if s.err != nil {
		return s.err
	}
	if s.result.Changes == nil { // somebody has applied or dropped them
		return b.run.dropQuestion(h, s.result.Text)
	}
	about := tool.Clip(strings.Join(strings.Fields(s.effect.Act()), " "), jobNameBytes)
	if err := s.decideChanges(); errors.Is(err, ErrSuspended) {
		return err
	} else if err != nil {
		return errors.Join(err, b.run.dropQuestion(h, s.result.Text))
	}
	return errors.Join(b.run.dropQuestion(h, s.result.Text), b.settle(s, "("+about+")"))
}

// jobNameBytes is how much of its command names a job whose number nobody knows.
const jobNameBytes = 80

// keepChanges keeps the changes of a job whose turn was ended, or whose server stops:
// nobody can be asked, and no hook. What the mode or a rule refuses is dropped, as always.
func (c *toolCall) keepChanges() error {
	c.changes, c.result.Changes = c.result.Changes, nil
	ruling := c.run.policy.Judge(c.changes.Effect())
	return c.endChanges(func(ctx context.Context) (tool.Result, error) {
		if ruling.Outcome == permit.Refuse {
			return c.changes.Discard(ctx, ruling.Reason)
		}
		return c.changes.Keep(ctx, c.run.unanswered().Note)
	})
}

// record puts on record what a job changed after its call had its result: so many
// files.
func (b *backgroundJobs) record(s *toolCall) (int, error) {
	changes := b.run.environment.Ledger.Take()
	if len(changes) == 0 {
		return 0, nil
	}
	for i := range changes {
		changes[i].Call = s.id
	}
	changed, removed := session.Touched(changes)
	return len(changed) + len(removed), b.run.append(session.Entry{
		Kind: session.EntryChanges, Turn: b.run.ID, Time: session.Time{Time: b.run.Clock()}, Changes: changes,
	})
}

// jobEndLines is how many of the last lines of a job's result its readers get.
const jobEndLines = 4

// reportEnd reports to the readers how a job ended with its agent's work.
func (b *backgroundJobs) reportEnd(name, how string) error {
	lines := strings.Split(strings.TrimSpace(how), "\n")
	how = tool.Clip(strings.Join(lines[max(0, len(lines)-jobEndLines):], "; "), maxWhy)
	with := "the turn"
	if b.run.agent != "" {
		with = "the work of " + b.run.Settings.Persona.ID
	}
	return b.run.Events.Warn("JOB_ENDED", b.run.Clean(fmt.Sprintf("the background job %s ended with %s: %s", name, with, how)))
}
