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

// interruptPoll is how soon a request to interrupt is seen when the system's
// notification was missed.
const interruptPoll = 250 * time.Millisecond

// RequestInterrupt asks whichever process runs the session's turn to stop it, by
// a file in the state folder that names the turn. It does not wait. It returns
// SESSION_NOT_FOUND when no turn runs.
func (s *Store) RequestInterrupt(id string) error {
	if !ValidID(id) {
		return notFound(id)
	}
	turn, _, ok := s.Running(id)
	if !ok {
		return fault.New(fault.SessionNotFound, "no turn is running in session %s", id).With("sessionId", id)
	}
	err := durable.WriteFile(s.state, dirInterrupts+"/"+id, []byte(turn+"\n"), 0o600, false)
	return storage("the request to interrupt could not be written", err)
}

// Interrupts delivers the ids of sessions whose turn in this process is to be
// interrupted. The channel closes when ctx ends.
func (s *Store) Interrupts(ctx context.Context) <-chan string {
	tick := time.NewTicker(interruptPoll)
	context.AfterFunc(ctx, tick.Stop)
	return s.deliver(ctx, dirInterrupts, tick.C, 0, s.takeInterrupts)
}

// takeInterrupts consumes the requests that are for turns of this process.
func (s *Store) takeInterrupts(names []string) []string {
	if s.leases.Load() == 0 {
		return nil
	}
	var ids []string
	for _, name := range names {
		if name == "" {
			all, err := os.ReadDir(filepath.Join(s.o.StateDir, dirInterrupts))
			if err != nil {
				continue // tried again at the next poll
			}
			for _, e := range all {
				if s.takeInterrupt(e.Name()) {
					ids = append(ids, e.Name())
				}
			}
		} else if s.takeInterrupt(name) {
			ids = append(ids, name)
		}
	}
	return ids
}

// takeInterrupt removes a request for a session of this process and reports
// whether it is for the turn that runs now.
func (s *Store) takeInterrupt(id string) bool {
	if !ValidID(id) {
		return false // also the temporary file of a request being written
	}
	turn, held := s.runningHere(id)
	if !held {
		return false
	}
	f, err := s.state.Open(dirInterrupts + "/" + id)
	if err != nil {
		return false
	}
	b, err := readCapped(f, 1024)
	_ = f.Close()
	if err != nil || s.dropInterrupt(id) != nil {
		return false // seen again at the next poll
	}
	return turn != "" && strings.TrimSpace(string(b)) == turn
}

// dropInterrupt removes a request that is done or too late. There is hardly ever
// one, and every turn asks twice: looking is the cheaper way to find none.
func (s *Store) dropInterrupt(id string) error {
	if _, err := os.Lstat(filepath.Join(s.o.StateDir, dirInterrupts, id)); missing(err) {
		return nil
	}
	return removeIfThere(s.state, dirInterrupts+"/"+id)
}
