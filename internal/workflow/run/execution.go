package run

import (
	"context"
	"errors"
	"maps"
	"os"
	"sync"

	"belay/internal/attachment/gather"
	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workflow/definition"
)

// The causes for which an execution is stopped.
var (
	errInterrupted = errors.New("interrupted")
	errCancelled   = errors.New("cancelled")
	errLost        = errors.New("another one was first")
	errOther       = errors.New("another one failed")
)

// execution is a run that this process works on.
type execution struct {
	r       *Runner
	id      string
	w       *flow
	folder  *folder
	at      *site // the folder of the workflow file
	blobs   Blobs
	lock    *durable.FileLock
	journal *journal
	// onQuestion is what becomes of calls that a person must allow.
	onQuestion string

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}

	agents, tools, trigger, outputs map[string]any

	// mu guards what follows: tasks that run at the same time write it.
	mu     sync.Mutex
	record Record
	// before are the tasks that are on record from before, by key.
	before map[string]*Task
	order  int
	// waiting counts the wait tasks that wait, working the tasks that have a place.
	waiting, working int
	// members are the records of tasks in large collections.
	members members
	// lent are the sessions that tasks share.
	lent lent
	// definitions are the hashes of tasks' definitions, made as they are needed.
	definitions map[*definition.Task]string
	// corrected is set where the run goes on with another file than it had: a finished
	// task counts only if it is the same there.
	corrected bool
	// finished counts the tasks that had their end when the run was taken up.
	finished int
	// kept is what was fetched for tasks before the run began, by their keys.
	kept map[string]gather.Result
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

func (x *execution) status() Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.record.Status
}

func (x *execution) summary() Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.record.Summary
	s.Live = true
	return s
}

// run is the execution's goroutine: whatever happens in it, the run's end is on
// record and the lock is free afterwards.
func (x *execution) run() {
	defer x.r.leave(x)
	defer close(x.done)
	heeding, stop := context.WithCancel(x.ctx)
	var heed sync.WaitGroup
	heed.Go(func() { x.heed(heeding) })
	outputs, err := x.work()
	stop()
	heed.Wait()
	_ = os.Remove(x.r.cancelPath(x.id)) // what is still there is removed when the run is taken up
	if err := x.end(outputs, err); err != nil {
		x.r.o.Logger.Error("record the end of a run", "run", x.id, "error", err)
		x.r.lose(x.id, err)
	}
	if x.isOver() {
		if err := x.r.forget(x.id); err != nil {
			x.r.o.Logger.Error("remove what a run waited for", "run", x.id, "error", err)
		}
	}
	if err := x.release(); err != nil {
		x.r.o.Logger.Error("release a run", "run", x.id, "error", err)
	}
	x.cancel(nil)
}

// isOver reports whether the run has come to an end after which no answer to one of its
// tasks counts. One that could not be recorded goes on where it was.
func (x *execution) isOver() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch r := &x.record; r.Status {
	case Success, Cancelled:
		return true
	case Failed:
		return r.Error == nil || r.Error.Type != fault.StorageFailure
	case Running, Interrupted:
	}
	return false
}

// release closes what the execution has open. The lock goes last.
func (x *execution) release() error {
	var errs []error
	if x.journal != nil {
		errs = append(errs, x.journal.close())
	}
	errs = append(errs, x.members.close(), x.at.Close())
	if x.folder != nil {
		x.folder.close()
	}
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
	s := scope{tasks: map[string]any{}, input: x.w.input, with: map[string]any{}}
	t := x.w.Tasks[0]
	var handed map[string]any
	results := map[string]any{}
	for n := 1; t != nil; n++ {
		if most := x.r.o.Limits.Steps; n > most {
			return nil, fault.New(fault.TaskFailed, "the run has done %d tasks one after the other and does not end (workflow.steps)", most).
				WithHint("see the routes of the workflow, or raise workflow.steps")
		}
		done, children, err := x.task(x.ctx, t, place{key: t.ID}, s, handed)
		if err != nil {
			return nil, err
		}
		s = s.after(done, children)
		if done.Status == Success {
			results[t.ID] = done.Output
		}
		if t, handed, err = x.follow(t, done, s); err != nil {
			return nil, err
		}
	}
	if x.w.Outputs == nil {
		return results, nil
	}
	values := x.values(s)
	maps.Copy(values["workflow"].(map[string]any), map[string]any{"status": string(Success), "output": results})
	values["output"] = results
	outputs, err = x.w.Outputs.Fields(values)
	if err != nil {
		return nil, invalid("the outputs of the workflow cannot be evaluated", problemOf(x.w.name, err))
	}
	return plainMap(outputs)
}

// follow is the task behind one that is done, and what that hands on. A failure
// that nothing follows is the run's.
func (x *execution) follow(t *definition.Task, done *Task, s scope) (*definition.Task, map[string]any, error) {
	next := t.OnSuccess
	switch {
	case done.Status != Success:
		if next = t.OnError; next.Task == "" {
			return nil, nil, done.Error.of(done.Key)
		}
	case t.Kind == definition.Router:
		next = definition.Next{Task: done.Route}
	case t.Final:
		return nil, nil, nil
	}
	if next.Task == "" {
		return nil, nil, nil
	}
	values := x.values(s)
	values["output"] = done.Output
	with, err := next.With.Fields(values)
	if err != nil {
		return nil, nil, invalid("what the task "+t.ID+" hands on cannot be evaluated", problemOf(x.w.name, err))
	}
	if with != nil {
		if with, err = plainMap(with); err != nil {
			return nil, nil, err
		}
	}
	return x.w.Task(next.Task), with, nil
}
