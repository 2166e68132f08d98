package turn

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"belay/internal/event"
	"belay/internal/journal"
	"belay/internal/turn/ending"
)

// The causes for which the engine itself ends a turn's context.
var (
	errInterrupted = errors.New("interrupted")
	errStalled     = errors.New("the provider stalled")
	errNoContent   = errors.New("the provider sent nothing but keep-alives")
	errWall        = errors.New("the turn's time is up")
)

// turn is one turn, from the lease to process:exit. Its agents do the work.
type turn struct {
	*shared
	req Request
	// running has the turn while it is under way; ends keeps its end where the log does
	// not take that.
	running *runningTurns
	ends    *unrecordedEnds
	// main is the turn's own agent.
	main       *agentRun
	unreported []journal.Settled // what a person is notified of with session:init

	done chan struct{}
	// exit is how the turn ended, once that is in the log.
	exit atomic.Pointer[outcome]
	// said is set when process:exit is about to be out: the lease follows.
	said atomic.Bool

	mu        sync.Mutex
	synthetic []event.Event // the end of a turn whose log cannot be written
	// lost is closed once there are synthetic events.
	lost chan struct{}

	// suspended is set for a turn that another process began.
	suspended *suspendedTurn
	// ended is set once the transcript has the turn's end.
	ended bool
	// failed is set once the log has the turn's turn:error.
	failed bool
	// leaves is set for a turn that the next process takes up.
	leaves bool
}

// run is the turn's goroutine: whatever happens in it, process:exit is the last
// event and the lease is free afterwards.
func (t *turn) run() {
	defer t.retire()
	if wall := t.wall(); wall > 0 {
		t.limit = NewTimeLimit(wall, func() { t.stop(errWall) })
		defer t.limit.Stop()
	}
	var storing sync.WaitGroup
	if len(t.main.files) > 0 {
		// The files go to the disk while the model works. What fails here the
		// commit tries again, and tells.
		storing.Go(func() { _ = t.blobs.Sync(context.WithoutCancel(t.ctx)) })
	}
	done, err := t.converse()
	storing.Wait()
	if left := t.main.jobs.end(err != nil); err == nil {
		err = left
	}
	t.main.hosts.close()
	if errors.Is(err, ErrLeft) {
		t.closeEnvironment()
		t.leave()
		return
	}
	t.events.owe(t.main.risks.runsOnRequest()...)
	t.closeEnvironment()
	t.finish(t.judge(done, err))
}

// converse runs the turn's agent, from its first request or from where it stood.
func (t *turn) converse() (done completion, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the turn crashed", v, debug.Stack())
		}
	}()
	if t.suspended != nil {
		return t.again()
	}
	if err := t.init(); err != nil {
		return completion{}, err
	}
	return t.main.work()
}

// again is [turn.converse] of a turn that is taken up.
func (t *turn) again() (completion, error) {
	if err := t.events.warn("RESUMED", "the process that ran this turn ended while a call waited for a decision; the turn goes on"); err != nil {
		return completion{}, err
	}
	done, err := t.main.work()
	if errors.Is(err, ErrLeft) {
		return done, err
	}
	return done, errors.Join(err, t.main.dropQuestion(t.main.suspended, ""))
}

// closeEnvironment closes what the tools of the turn worked in.
func (t *turn) closeEnvironment() {
	if err := t.o.Journal.Forget(t.lease.Record().ProjectRoot, t.unreported...); err != nil { // it is reported again
		t.o.Logger.Error("forget an undo that was reported", "session", t.session, "error", err)
	}
	t.main.closeEnvironment()
}

// wall is the time that the turn may work: the configured limit, or less if
// asked; 0 for no limit. The time in which a question waits does not count.
func (t *turn) wall() time.Duration {
	wall := t.main.settings.rules.Limits.Wall
	if asked := time.Duration(t.main.settings.timeoutMS) * time.Millisecond; asked > 0 && (wall <= 0 || asked < wall) {
		return asked
	}
	return wall
}

// register gives the turn a place among the running ones, and makes it interruptible
// and visible to other processes.
func (t *turn) register() error {
	if err := t.running.add(t); err != nil {
		return err
	}
	return t.lease.Begin(t.id)
}

// retire ends the life of a turn that ran, or that never began to: afterwards
// the session is free. The turn stays listed until its lease is: a caller that
// learnt of its end waits for that, however long the release takes.
func (t *turn) retire() {
	t.stop(nil)
	release := t.lease.Release
	if t.leaves {
		release = t.lease.Leave
	}
	if err := release(); err != nil {
		t.o.Logger.Error("release the session", "session", t.session, "error", err)
	}
	t.running.remove(t)
	close(t.done)
}

// leave makes durable what the turn has done so far. Its question stays open.
func (t *turn) leave() {
	t.leaves = true
	t.running.left.Add(1)
	if err := t.lease.Commit(context.WithoutCancel(t.ctx)); err != nil {
		t.o.Logger.Error("record a turn that waits", "session", t.session, "turn", t.id, "error", err)
	}
}
