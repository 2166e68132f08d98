package tool

import (
	"context"
	"sync"

	"belay/internal/session"
)

// Ledger notes the file changes of a turn, in their order. What replaced what is
// kept by hash in the project's blob store, so that a change can be shown and
// taken back. It is safe for concurrent use.
type Ledger struct {
	// Before receives the changes that a tool is about to make. They are on record,
	// with the contents that they replace, when it returns: a power cut or a process
	// that dies leaves no change of which nobody knows. Nil is nobody.
	Before func(ctx context.Context, changes ...session.Change) error

	mu      sync.Mutex
	changes []session.Change
}

// Intend reports the changes that are made next. On an error none is to be made.
func (l *Ledger) Intend(ctx context.Context, changes ...session.Change) error {
	if l.Before == nil || len(changes) == 0 {
		return nil
	}
	return l.Before(ctx, changes...)
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
