package tool

import (
	"sync"

	"belay/internal/session"
)

// Ledger notes the file changes of a turn, in their order. What replaced what is
// kept by hash in the project's blob store, so that a change can be shown and
// taken back. It is safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	changes []session.Change
}

// Note adds changes.
func (l *Ledger) Note(changes ...session.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, changes...)
}

// Take returns the changes that were noted since the last Take.
func (l *Ledger) Take() []session.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.changes
	l.changes = nil
	return taken
}
