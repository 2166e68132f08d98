package turn

import (
	"context"
	"errors"

	"belay/internal/fault"
	"belay/internal/session"
)

// The causes for which the engine itself ends a turn's context.
var (
	errInterrupted = errors.New("interrupted")
	errStalled     = errors.New("the provider stalled")
	errNoContent   = errors.New("the provider sent nothing but keep-alives")
	errWall        = errors.New("the turn's time is up")
)

// enter counts work that [Local.Close] has to wait for: a turn from its first
// check to its lease's release, or a boot. The caller must leave.
func (l *Local) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing.Err() != nil {
		return shuttingDown()
	}
	l.work.Add(1)
	return nil
}

func (l *Local) leave() { l.work.Done() }

func shuttingDown() *fault.Error {
	return fault.New(fault.Overloaded, "the server is shutting down and takes no new turns")
}

// register gives the turn one of the places for running turns and makes it
// interruptible and visible to other processes. Turns that wait for a person have
// no place; one of a process that died is such a turn, and goes on in any case.
func (l *Local) register(t *turn) error {
	l.mu.Lock()
	if t.suspended == nil && len(l.active)-l.asking >= l.o.Rules.Limits.InFlight {
		l.mu.Unlock()
		return fault.New(fault.Overloaded, "%d turns are already running (server.max_turns_in_flight)", l.o.Rules.Limits.InFlight)
	}
	l.active[t.session] = t
	l.mu.Unlock()
	return t.lease.Begin(t.id)
}

// retire ends the life of a turn that ran, or that never began to: afterwards
// the session is free. The turn stays listed until its lease is: a caller that
// learnt of its end waits for that, however long the release takes.
func (l *Local) retire(t *turn) {
	t.stop(nil)
	release := t.lease.Release
	if t.left {
		release = t.lease.Leave
	}
	if err := release(); err != nil {
		l.o.Logger.Error("release the session", "session", t.session, "error", err)
	}
	l.mu.Lock()
	if l.active[t.session] == t { // the next turn may have begun already
		delete(l.active, t.session)
	}
	l.mu.Unlock()
	close(t.done)
}

// runningIn is the turn that runs in a session in this process, or nil.
func (l *Local) runningIn(sessionID string) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.active[sessionID]
}

// running is the turn of that id, or nil if it does not run in this process.
func (l *Local) running(sessionID, turnID string) *turn {
	if t := l.runningIn(sessionID); t != nil && t.id == turnID {
		return t
	}
	return nil
}

// Running is the number of turns under way in this process.
func (l *Local) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active)
}

// Working is the number of turns under way that do not wait for a person.
func (l *Local) Working() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active) - l.asking
}

// Interrupt implements [Engine]: it stops the turn, wherever on this machine it
// runs. A turn that has already said how it ended is over: Interrupt waits for
// its lease and then looks again.
func (l *Local) Interrupt(ctx context.Context, sessionID, turnID string) error {
	for {
		t := l.runningIn(sessionID)
		switch {
		case t == nil:
			return l.o.Store.Signals.RequestInterrupt(sessionID, turnID)
		case turnID != "" && turnID != t.id:
			return session.NotThatTurn(sessionID, turnID)
		case !t.said.Load():
			t.stop(errInterrupted)
			return nil
		}
		select {
		case <-t.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// listen carries interrupts from other processes to the turns of this one.
func (l *Local) listen() {
	for i := range l.o.Store.Signals.Interrupts(l.life) {
		if t := l.running(i.Session, i.Turn); t != nil {
			t.stop(errInterrupted)
		}
	}
}

// Close refuses new turns, sends away those that wait in line, and leaves those that
// wait for a person to the next process, where this one would take up such turns
// ([Local.Stay]). It waits for the running ones until ctx is done; then it interrupts
// them and waits for them to end cleanly. It returns ctx's error if it had to.
func (l *Local) Close(ctx context.Context) error {
	l.mu.Lock()
	l.beginClosing()
	l.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		l.work.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
		l.end(errInterrupted)
		<-idle
	}
	l.end(nil)
	l.listener.Wait()
	return err
}
