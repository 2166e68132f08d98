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
	"belay/internal/persona"
	"belay/internal/turn/agent"
	"belay/internal/turn/ending"
	"belay/internal/turn/recovery"
)

// turn is one turn, from the lease to process:exit. Its agents do the work.
type turn struct {
	*agent.Turn
	req Request
	// rules, governance and timeout are what the options resolved to.
	rules      Rules
	governance persona.Decision
	timeout    time.Duration
	// root is the project's folder, checked.
	root  string
	newID func() string
	// limit is the turn's wall clock, nil for no limit.
	limit *TimeLimit
	// running has the turn while it is under way; ends keeps its end where the log does
	// not take that.
	running *runningTurns
	ends    *recovery.UnrecordedEnds
	// main is the turn's own agent.
	main       *agent.Run
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
	suspended *recovery.SuspendedTurn
	// ended is set once the transcript has the turn's end.
	ended bool
	// failed is set once the log has the turn's turn:error.
	failed bool
	// leaves is set for a turn that the next process takes up.
	leaves bool

	// began is when this process set the turn running; reported is set once [turn.report]
	// has said how it ended.
	began    time.Time
	reported bool
}

// run is the turn's goroutine: whatever happens in it, process:exit is the last
// event and the lease is free afterwards.
func (t *turn) run() {
	defer t.retire()
	if wall := t.wall(); wall > 0 {
		t.limit = NewTimeLimit(wall, func() { t.Stop(agent.ErrTimeLimit) })
		defer t.limit.Stop()
	}
	var storing sync.WaitGroup
	if len(t.main.Files) > 0 {
		// The files go to the disk while the model works. What fails here the
		// commit tries again, and tells.
		storing.Go(func() { _ = t.Blobs.Sync(context.WithoutCancel(t.Context)) })
	}
	done, err := t.converse()
	storing.Wait()
	if left := t.main.End(err != nil); err == nil {
		err = left
	}
	if errors.Is(err, agent.ErrSuspended) {
		t.closeEnvironment()
		t.leave()
		return
	}
	t.Events.Owe(t.main.WarnOfRisks()...)
	t.closeEnvironment()
	t.finish(t.judge(done, err))
}

// converse runs the turn's agent, from its first request or from where it stood.
func (t *turn) converse() (done agent.Completion, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = ending.Panicked("the turn crashed", v, debug.Stack())
		}
	}()
	if t.suspended != nil {
		return t.again()
	}
	if err := t.init(); err != nil {
		return agent.Completion{}, err
	}
	return t.main.Work()
}

// again is [turn.converse] of a turn that is taken up.
func (t *turn) again() (agent.Completion, error) {
	if err := t.Events.Warn("RESUMED", "the process that ran this turn ended while a call waited for a decision; the turn goes on"); err != nil {
		return agent.Completion{}, err
	}
	for _, w := range t.main.Settings.Warnings { // they are about this process, and what was undone since
		if err := t.Events.Warn(w.Code, w.Message); err != nil {
			return agent.Completion{}, err
		}
	}
	return t.main.Resume(t.suspended.Call)
}

// closeEnvironment closes what the tools of the turn worked in.
func (t *turn) closeEnvironment() {
	if err := t.Journal.Forget(t.Lease.Record().ProjectRoot, t.unreported...); err != nil { // it is reported again
		t.Logger.Error("forget an undo that was reported", "error", err)
	}
	t.main.CloseEnvironment()
}

// wall is the time that the turn may work: the configured limit, or less if
// asked; 0 for no limit. The time in which a question waits does not count.
func (t *turn) wall() time.Duration {
	wall := t.rules.Limits.Wall
	if t.timeout > 0 && (wall <= 0 || t.timeout < wall) {
		return t.timeout
	}
	return wall
}

// standStill stops the turn's own time while a call of it is asked about, and gives
// its place among the running turns to another one, until goOn is called. Then the
// turn takes a place at once, also where that is one more than there are: a turn
// that has begun is never held up by those that began while it waited.
func (t *turn) standStill() (goOn func()) {
	t.limit.Pause()
	t.running.leavePlace(1)
	return func() {
		t.running.leavePlace(-1)
		t.limit.Resume()
	}
}

// register gives the turn a place among the running ones, and makes it interruptible
// and visible to other processes.
func (t *turn) register() error {
	if err := t.running.add(t); err != nil {
		return err
	}
	return t.Lease.Begin(t.ID)
}

// retire ends the life of a turn that ran, or that never began to: afterwards
// the session is free. The turn stays listed until its lease is: a caller that
// learnt of its end waits for that, however long the release takes.
func (t *turn) retire() {
	t.Stop(nil)
	release := t.Lease.Release
	if t.leaves {
		release = t.Lease.Leave
	}
	if err := release(); err != nil {
		t.Logger.Error("release the session", "error", err)
	}
	t.running.remove(t)
	close(t.done)
}

// leave makes durable what the turn has done so far. Its question stays open.
func (t *turn) leave() {
	t.leaves = true
	t.running.left.Add(1)
	if err := t.Lease.Commit(context.WithoutCancel(t.Context)); err != nil {
		t.Logger.Error("record a turn that waits", "error", err)
	}
}
