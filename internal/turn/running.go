package turn

import (
	"context"
	"sync"
	"sync/atomic"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn/agent"
)

// runningTurns are the turns under way in this process, one of a session.
type runningTurns struct {
	// most is how many may work at once.
	most int

	mu        sync.Mutex
	bySession map[string]*turn
	// asking counts those of them that wait for a person.
	asking int

	// takenUp counts the turns of dead processes that this one has taken up, left those
	// that it has left to the next process.
	takenUp, left atomic.Int64
}

func newRunningTurns(most int) *runningTurns {
	return &runningTurns{most: most, bySession: map[string]*turn{}}
}

// add gives the turn one of the places for running turns. Turns that wait for a person
// have no place; one of a process that died is such a turn, and goes on in any case.
func (r *runningTurns) add(t *turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.suspended == nil && len(r.bySession)-r.asking >= r.most {
		return fault.New(fault.Overloaded, "%d turns are already running (server.max_turns_in_flight)", r.most)
	}
	r.bySession[t.SessionID] = t
	return nil
}

func (r *runningTurns) remove(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bySession[t.SessionID] == t { // the next turn may have begun already
		delete(r.bySession, t.SessionID)
	}
}

// in is the turn that runs in a session in this process, or nil.
func (r *runningTurns) in(sessionID string) *turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bySession[sessionID]
}

// find is the turn of that id, or nil if it does not run in this process.
func (r *runningTurns) find(sessionID, turnID string) *turn {
	if t := r.in(sessionID); t != nil && t.ID == turnID {
		return t
	}
	return nil
}

// leavePlace counts the turns that wait for a person: n more of them.
func (r *runningTurns) leavePlace(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking += n
}

// Counts are numbers of turns of an engine.
type Counts struct {
	// Running turns are under way. Working are those of them that do not wait for a person.
	Running, Working int
	// TakenUp are turns of dead processes that this one has taken up, Left those that it
	// has left to the next server.
	TakenUp, Left int
}

func (r *runningTurns) counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Counts{
		Running: len(r.bySession), Working: len(r.bySession) - r.asking,
		TakenUp: int(r.takenUp.Load()), Left: int(r.left.Load()),
	}
}

// interrupt stops the turn that runs in a session in this process, any for "". It is
// false where none runs. A turn that has already said how it ended is over: interrupt
// waits for its lease and then looks again.
func (r *runningTurns) interrupt(ctx context.Context, sessionID, turnID string) (bool, error) {
	for {
		t := r.in(sessionID)
		switch {
		case t == nil:
			return false, nil
		case turnID != "" && turnID != t.ID:
			return true, session.NotThatTurn(sessionID, turnID)
		case !t.said.Load():
			t.Stop(agent.ErrInterrupted)
			return true, nil
		}
		select {
		case <-t.done:
		case <-ctx.Done():
			return true, context.Cause(ctx)
		}
	}
}

// listen carries interrupts from other processes to the turns of this one.
func (r *runningTurns) listen(ctx context.Context, signals session.Signals) {
	for i := range signals.Interrupts(ctx) {
		if t := r.find(i.Session, i.Turn); t != nil {
			t.Stop(agent.ErrInterrupted)
		}
	}
}
