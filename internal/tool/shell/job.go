package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"belay/internal/tool"
	"belay/internal/tool/shell/confine"
)

// job is a command that goes on in the background, in a transaction of its own.
type job struct {
	work  *transaction
	id    string
	began time.Time
	// unread is what it wrote and nobody has read; said has a value when there is more.
	unread *confine.Recorder
	said   chan struct{}
	inside confine.Inside
	ports  *openPorts

	stop context.CancelCauseFunc
	// asked is set when the job was asked to end.
	asked atomic.Bool
	ended chan struct{} // closed when outcome and err are set
	// outcome is how it ended, err why it was not run.
	outcome confine.Outcome
	err     error
}

var _ tool.Job = (*job)(nil)

// errStopped is the cause of the end of a job that did not end by itself.
var errStopped = errors.New("the job was stopped")

// jobWait bounds how long a call waits for the first output of a job, or for new output
// where it says no time. jobSettle is how long it waits for more of it.
const (
	jobWait   = time.Second
	jobSettle = 100 * time.Millisecond
)

// background starts the command as a job.
func (c *call) background(ctx context.Context) (tool.Result, error) {
	if id := tool.OriginOf(ctx).ChangeID; c.Held(ctx) {
		return c.resume(id)
	}
	var j *job
	err := c.environment.Jobs.Start(ctx, func(id string) (_ tool.Job, err error) {
		j, err = c.startJob(ctx, id)
		return j, err
	})
	if err != nil {
		return tool.Result{}, err
	}
	j.hear(ctx, jobWait)
	if j.over() {
		return j.End(ctx)
	}
	r := j.read()
	r.Text += j.howTo()
	r.Notices = j.ports.notices(j)
	return r, nil
}

// startJob starts the command. The job ends with ctx.
func (c *call) startJob(ctx context.Context, id string) (_ *job, err error) {
	ports, err := c.openPorts(ctx, id)
	if err != nil {
		return nil, err
	}
	t, run, err := c.begin()
	if err != nil {
		return nil, errors.Join(err, ports.close())
	}
	j := &job{
		work: t, id: id, began: time.Now(), ports: ports,
		unread: confine.NewRecorder(outputBytes(c.environment.Limits)), said: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	run.Said, run.Inside = j, &j.inside
	ctx, j.stop = context.WithCancelCause(ctx)
	ports.serve(ctx, &j.inside)
	go func() {
		defer close(j.ended)
		j.outcome, j.err = t.run(ctx, run)
		j.work.stopped = j.asked.Load()
		if ctx.Err() != nil && errors.Is(j.err, context.Cause(ctx)) {
			j.work.stopped, j.err = true, nil // it ran, and what it changed is reviewed
		}
		j.stop(nil)
		j.err = errors.Join(j.err, ports.close())
	}()
	return j, nil
}

// Write takes what the command writes. It implements [io.Writer].
func (j *job) Write(p []byte) (int, error) {
	n, err := j.unread.Write(p)
	select {
	case j.said <- struct{}{}:
	default:
	}
	return n, err
}

// Line implements [tool.Job].
func (j *job) Line() string { return tool.Clip(j.work.summary(), jobLineBytes) }

// Running implements [tool.Job].
func (j *job) Running() bool {
	select {
	case <-j.ended:
		return false
	default:
		return true
	}
}

// Stop implements [tool.Job].
func (j *job) Stop(ctx context.Context) {
	if ctx.Err() == nil {
		j.terminate()
	}
	j.stop(errStopped)
	<-j.ended
}

// End implements [tool.Job].
func (j *job) End(ctx context.Context) (tool.Result, error) {
	j.Stop(ctx)
	if j.err != nil {
		return tool.Result{}, errors.Join(notRun(j.err), j.work.upper.Remove())
	}
	return j.work.finish(ctx, j.outcome, j.unread.Take())
}

// jobLineBytes is how much of its command tells a job from others.
const jobLineBytes = 80

// terminateTime is how long a job that is asked to end may take, before it is ended.
const terminateTime = 2 * time.Second

// terminate asks the job to end, and gives it time for that: a program that is ended in
// the middle of its work leaves half of it.
func (j *job) terminate() {
	if !j.Running() {
		return
	}
	j.asked.Store(true)
	if j.inside.Terminate() != nil { // it has just ended, or does not run yet
		return
	}
	timer := time.NewTimer(terminateTime)
	defer timer.Stop()
	select {
	case <-j.ended:
	case <-timer.C:
	}
}

// hear waits until the job has written something that nobody has read, or has ended.
func (j *job) hear(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-j.said:
		timer.Reset(min(wait, jobSettle))
		select {
		case <-timer.C:
		case <-j.ended:
		case <-ctx.Done():
		}
	case <-timer.C:
	case <-j.ended:
	case <-ctx.Done():
	}
}

// over reports whether the job has ended and its last result is the caller's.
func (j *job) over() bool { return !j.Running() && j.work.environment.Jobs.Remove(j.id) }

// read is what the job has written since the last read.
func (j *job) read() tool.Result {
	o := j.unread.Take()
	var b strings.Builder
	writeOutput(&b, o)
	fmt.Fprintf(&b, "%s has run for %v: %s", j.id, time.Since(j.began).Round(time.Millisecond), j.Line())
	return tool.Result{Text: b.String(), Truncated: o.Dropped > 0, Progress: len(o.Head) > 0}
}

// howTo reports to the model what it can do with a job.
func (j *job) howTo() string {
	var b strings.Builder
	for _, line := range j.ports.lines() {
		b.WriteString("\n" + line)
	}
	fmt.Fprintf(&b, "\nRead its new output with {\"job\": %q}, and stop it with {\"job\": %[1]q, \"action\": \"stop\"}. It ends with your turn.", j.id)
	b.WriteString("\nLater commands of the turn reach its ports at localhost. It does not see later edits: stop it and start it again after them. What it changes is reviewed when it has ended.")
	return b.String()
}

// jobsThatEnded reports the jobs of an agent whose last results nobody has read.
func (c *call) jobsThatEnded(agent string) (notes []string) {
	if c.environment.Jobs == nil || c.in.Background {
		return nil
	}
	for _, s := range c.environment.Jobs.Of(agent) {
		if !s.Job.Running() {
			notes = append(notes, fmt.Sprintf("%s (%s) has ended by itself: {\"job\": %q} shows how", s.ID, s.Job.Line(), s.ID))
		}
	}
	return notes
}
