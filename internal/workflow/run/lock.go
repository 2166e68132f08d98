package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// cancelPoll is how soon a request to cancel is seen.
const cancelPoll = 200 * time.Millisecond

// state is the part of the operator's folder that has what agents must not reach: the
// locks of the runs of all projects, what they are allowed, and what they wait for. An id
// is never given twice.
type state struct{ dir string }

func (s state) lockPath(id string) string   { return filepath.Join(s.dir, id+".lock") }
func (s state) cancelPath(id string) string { return filepath.Join(s.dir, id+".cancel") }

// lock takes a run for this process: RUN_IN_PROGRESS where another works on it.
func (s state) lock(id string) (*durable.FileLock, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, storage("the state folder cannot be written", err)
	}
	var l *durable.FileLock
	var err error
	for range 5 { // somebody who only looks holds it for a moment
		if l, err = durable.Lock(s.lockPath(id)); !errors.Is(err, durable.ErrLocked) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	switch {
	case errors.Is(err, durable.ErrLocked):
		return nil, fault.New(fault.RunInProgress, "the run %s is under way", id).With("runId", id).
			WithHint("follow it with belay runs show %s --follow, or stop it with belay runs cancel %s", id, id)
	case err != nil:
		return nil, storage("the run cannot be locked", err)
	}
	// A request to cancel was for the process that worked on the run before.
	if err := os.Remove(s.cancelPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(storage("the state folder cannot be written", err), l.Unlock())
	}
	return l, nil
}

// live reports whether a process works on the run.
func (r *Runner) live(id string) bool {
	return r.running(id) != nil || durable.Locked(r.state.lockPath(id))
}

// Cancel stops a run, wherever on this machine it is worked on, and returns when it
// has stopped or ctx is done. One whose process died, or that was interrupted, is over
// then as well: no server takes it up. RUN_NOT_RUNNING where it had come to its end.
func (r *Runner) Cancel(ctx context.Context, project, id string) error {
	f, err := openFolder(project, id)
	if err != nil {
		return err
	}
	f.close()
	if x := r.running(id); x != nil {
		x.stop(errCancelled)
		if err := x.wait(ctx); err != nil {
			return err
		}
		return cancelLeft(r, project, id)
	}
	if !r.live(id) {
		// Another process may have taken it up meanwhile: then that one is asked.
		if err := cancelDead(r, project, id); !fault.Is(err, fault.RunInProgress) {
			return err
		}
	}
	state, err := os.OpenRoot(r.state.dir)
	if err != nil {
		return storage("the state folder cannot be opened", err)
	}
	defer state.Close()
	if err := durable.WriteFile(state, id+".cancel", []byte("cancel\n"), 0o600, durable.RunCancel); err != nil {
		return storage("the request to cancel could not be written", err)
	}
	tick := time.NewTicker(cancelPoll)
	defer tick.Stop()
	for r.live(id) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		if _, err := state.Lstat(id + ".cancel"); errors.Is(err, fs.ErrNotExist) {
			break // whoever took the run up again is not asked
		}
	}
	return cancelLeft(r, project, id)
}

// cancelLeft ends a run whose process was about to leave it to the next one when it was asked
// to stop.
func cancelLeft(r *Runner, project, id string) error {
	err := cancelDead(r, project, id)
	if fault.Is(err, fault.RunNotRunning) || fault.Is(err, fault.RunInProgress) {
		return nil // it is over, or somebody has taken it up again
	}
	return err
}

// cancelDead ends a run on which nobody works, under the lock that who takes it up needs.
func cancelDead(r *Runner, project, id string) (err error) {
	l, err := r.state.lock(id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	f, err := openFolder(project, id)
	if err != nil {
		return err
	}
	recs := &records{folder: f, clock: r.o.Clock}
	defer func() { err = errors.Join(err, recs.close()) }()
	if recs.record, err = f.read(); err != nil {
		return err
	}
	if status := recs.record.Status; status != Running && status != Interrupted {
		return fault.New(fault.RunNotRunning, "nobody works on the run %s", id).With("runId", id).WithHint("see how it ended with belay runs show %s", id)
	}
	if err = recs.openJournal(l, false); err != nil {
		return err
	}
	recs.leftAt(recs.record.EndedAt)
	recs.paused(recs.now())
	x := &execution{r: r, id: id, records: recs, record: &recs.record}
	if err := x.end(nil, errCancelled); err != nil {
		return err
	}
	if err := r.state.forget(id); err != nil {
		return storage("what the run waited for cannot be removed", err)
	}
	return nil
}

// watch stops the execution when another process asks for it, or when its project is removed
// or moved, until ctx is done: nobody could answer or stop it then. It also notes that this
// process works on the run.
func (x *execution) watch(ctx context.Context) {
	tick, alive := time.NewTicker(cancelPoll), time.NewTicker(aliveEvery)
	defer tick.Stop()
	defer alive.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-alive.C:
			if err := noteAlive(x.lock.File(), x.records.now()); err != nil {
				x.r.o.Logger.Warn("a run cannot note that it is alive", "run", x.id, "error", err)
			}
			continue
		case <-tick.C:
		}
		if _, err := os.Lstat(x.r.state.cancelPath(x.id)); err == nil {
			x.stop(errCancelled)
			return
		}
		if isAway(x.record.Project, x.id) {
			x.r.o.Logger.Warn("a run stops because its project was removed or moved", "run", x.id, "project", x.record.Project)
			x.stop(errInterrupted)
			return
		}
	}
}

// isAway reports whether a project has no folder of a run any more.
func isAway(project, id string) bool {
	_, err := os.Lstat(filepath.Join(project, filepath.FromSlash(dirRuns), id))
	return errors.Is(err, fs.ErrNotExist)
}
