package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/fault"
)

// interruptPoll is how soon a request to interrupt is seen. A process without turns does
// not look.
const interruptPoll = 100 * time.Millisecond

// Interrupt names a turn of this process that somebody wants stopped. By the time
// it is read the turn may be over and another one run in the session.
type Interrupt struct{ Session, Turn string }

// RequestInterrupt asks whichever process runs the session's turn to stop it, by
// a file in the state folder that names the turn. It does not wait. It returns
// SESSION_NOT_FOUND when no turn runs, or, unless turnID is "", another one.
func (s *Signals) RequestInterrupt(id, turnID string) error {
	if !ValidID(id) {
		return notFound(id)
	}
	turn, _, ok := s.Running(id)
	switch {
	case !ok:
		return fault.New(fault.SessionNotFound, "no turn is running in session %s", id).With("sessionId", id).WithHint(hintEnded, id)
	case turnID != "" && turnID != turn:
		return NotThatTurn(id, turnID)
	}
	err := durable.WriteFile(s.store.stateDir.Root(), dirInterrupts+"/"+id, []byte(turn+"\n"), 0o600, durable.Interrupt)
	return storage("the request to interrupt could not be written", err)
}

// NotThatTurn is the answer to an interrupt of a turn that is over, or never was.
func NotThatTurn(id, turnID string) *fault.Error {
	turnID = clip(turnID, 80)
	return fault.New(fault.SessionNotFound, "the turn %q is not running in session %s", turnID, id).
		With("sessionId", id).With("turnId", turnID).WithHint(hintEnded, id)
}

// hintEnded is the next step where there is nothing to interrupt.
const hintEnded = "it may have ended already; see the session's turns with belay session show %s"

// Interrupts delivers the turns of this process that are to be interrupted. The
// channel closes when ctx ends or the store closes.
func (s *Signals) Interrupts(ctx context.Context) <-chan Interrupt {
	out := make(chan Interrupt)
	if !s.store.background(func() { defer close(out); s.watchInterrupts(ctx, out) }) {
		close(out)
	}
	return out
}

func (s *Signals) watchInterrupts(ctx context.Context, out chan<- Interrupt) {
	tick := time.NewTicker(interruptPoll)
	defer tick.Stop()
	for {
		for _, found := range s.takeInterrupts() {
			select {
			case out <- found:
			case <-ctx.Done():
				return
			case <-s.store.stop:
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-s.store.stop:
			return
		}
	}
}

// takeInterrupts consumes the requests that are for turns of this process.
func (s *Signals) takeInterrupts() (taken []Interrupt) {
	if s.store.leases.Load() == 0 {
		return nil
	}
	all, err := os.ReadDir(filepath.Join(s.store.o.StateDir, dirInterrupts))
	if err != nil {
		return nil // tried again at the next poll
	}
	for _, e := range all {
		if turn := s.takeInterrupt(e.Name()); turn != "" {
			taken = append(taken, Interrupt{e.Name(), turn})
		}
	}
	return taken
}

// takeInterrupt removes a request for a session of this process and returns the
// turn that it is for, "" when that is not the one that runs now.
func (s *Signals) takeInterrupt(id string) string {
	if !ValidID(id) {
		return "" // also the temporary file of a request being written
	}
	turn, held := s.runningHere(id)
	if !held {
		return ""
	}
	b, _, err := durable.ReadFile(s.store.stateDir.Root(), dirInterrupts+"/"+id, 1024)
	if err != nil || s.dropInterrupt(id) != nil {
		return "" // seen again at the next poll
	}
	if strings.TrimSpace(string(b)) != turn {
		return ""
	}
	return turn
}

// dropInterrupt removes a request that is done or too late. There is hardly ever
// one: looking is the cheaper way to find none.
func (s *Signals) dropInterrupt(id string) error {
	if _, err := os.Lstat(filepath.Join(s.store.o.StateDir, dirInterrupts, id)); missing(err) {
		return nil
	}
	return removeIfThere(s.store.stateDir.Root(), dirInterrupts+"/"+id)
}
