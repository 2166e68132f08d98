package run

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"sync"

	"belay/internal/durable"
	"belay/internal/fault"
)

// The causes for which an execution is stopped.
var (
	errInterrupted = errors.New("interrupted")
	errCancelled   = errors.New("cancelled")
	errLost        = errors.New("another one was first")
	errOther       = errors.New("another one failed")
	errRunEnds     = errors.New("another one ended the run")
)

// execution is a run that this process works on.
type execution struct {
	r     *Runner
	id    string
	w     *flow
	at    *site // the folder of the workflow file
	blobs Blobs
	lock  *durable.FileLock
	eval  *evaluator
	// records has the record of the run and of its tasks.
	records *records
	// record is that of the run.
	record *Record

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}

	activity activity
	// lent are the sessions that tasks share, fetched what was fetched for tasks before the
	// run began.
	lent    lent
	fetched fetched
	// corrected is set where the run goes on with another file than it had: a finished
	// task counts only if it is the same there.
	corrected bool
	// finished counts the tasks that had their end when the run was taken up.
	finished int
	// again are tasks from before that are tried again, which is put on record when the run
	// goes on.
	again []*Task
}

func (x *execution) stop(cause error) { x.cancel(cause) }

// wait waits until the execution has ended.
func (x *execution) wait(ctx context.Context) error {
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run is the execution's goroutine: whatever happens in it, the run's end is on
// record and the lock is free afterwards. Who waits for done finds a run that can be
// taken up.
func (x *execution) run() {
	defer close(x.done)
	defer x.r.leave(x)
	watched, stop := context.WithCancel(x.ctx)
	var watching sync.WaitGroup
	watching.Go(func() { x.watch(watched) })
	outputs, err := x.work()
	stop()
	watching.Wait()
	err = x.end(outputs, err)
	gone := errors.Is(err, fs.ErrNotExist) && isAway(x.record.Project, x.id) // it was removed, and not moved: nobody can take it up
	if err != nil && !gone {
		x.r.o.Logger.Error("record the end of a run", "run", x.id, "error", err)
		x.r.lose(x.id, err)
	}
	if gone || x.records.isOver() {
		if err := x.r.state.forget(x.id); err != nil { // the grant stays: a disk may come back
			x.r.o.Logger.Error("remove what a run waited for", "run", x.id, "error", err)
		}
	}
	// Who asked for the end finds it on record. What is still there is removed when the run is taken up.
	_ = os.Remove(x.r.state.cancelPath(x.id))
	if err := x.release(); err != nil {
		x.r.o.Logger.Error("release a run", "run", x.id, "error", err)
	}
	x.cancel(nil)
}

// release closes what the execution has open. The lock goes last.
func (x *execution) release() error {
	errs := []error{x.records.close(), x.at.Close()}
	if x.lock != nil {
		errs = append(errs, x.lock.Unlock())
	}
	return errors.Join(errs...)
}

// work does the tasks one after the other and returns the workflow's outputs.
func (x *execution) work() (outputs map[string]any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked("the run crashed", v)
		}
	}()
	s := x.eval.start()
	t := x.w.Tasks[0]
	var handed map[string]any
	results := map[string]any{}
	for n := 1; t != nil; n++ {
		if most := x.r.o.Limits.Steps; n > most {
			return nil, fault.New(fault.TaskFailed, "%s", tooManySteps(most)).WithHint(hintSteps)
		}
		done, children, err := x.task(x.ctx, t, place{key: t.ID}, s, handed)
		if err != nil {
			return nil, err
		}
		s = s.after(done, children)
		if done.Status == Success {
			results[t.ID] = done.Output
		}
		if t, handed, err = x.eval.follow(t, done, s, handed); err != nil {
			return nil, err
		}
	}
	if x.w.Outputs == nil {
		return results, nil
	}
	values := x.eval.values(s)
	maps.Copy(values["workflow"].(map[string]any), map[string]any{"status": string(Success), "output": results})
	values["output"] = results
	outputs, err = x.w.Outputs.Fields(values)
	if err != nil {
		return nil, invalid("the outputs of the workflow cannot be evaluated", problemOf(x.w.name, err))
	}
	return plainMap(outputs)
}
