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
	// Before is told of a change that a tool is about to make, so that it is known
	// should the process die in the middle; nil is nobody.
	Before func(ctx context.Context, c session.Change) error

	mu      sync.Mutex
	changes []session.Change
	then    []func()
}

// Intend tells of a change that is made next. On an error it is not to be made.
func (l *Ledger) Intend(ctx context.Context, c session.Change) error {
	if l.Before == nil {
		return nil
	}
	return l.Before(ctx, c)
}

// Note adds changes.
func (l *Ledger) Note(changes ...session.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, changes...)
}

// Then has f called when the changes are on record that were noted until now.
func (l *Ledger) Then(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.then = append(l.then, f)
}

// Recorded says that the changes are on record that were taken last.
func (l *Ledger) Recorded() {
	l.mu.Lock()
	then := l.then
	l.then = nil
	l.mu.Unlock()
	for _, f := range then {
		f()
	}
}

// Take returns the changes that were noted since the last Take.
func (l *Ledger) Take() []session.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.changes
	l.changes = nil
	return taken
}
