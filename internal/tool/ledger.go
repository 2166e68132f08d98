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

// Seen remembers the contents that the model was shown in this session's turns,
// by path, so that it does not overwrite what it has not read. It is safe for
// concurrent use.
type Seen struct {
	mu   sync.Mutex
	seen map[string]string // sha256 by path
}

// Note records that the model was shown all that path held.
func (s *Seen) Note(path, sha256 string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]string{}
	}
	s.seen[path] = sha256
}

// SHA256 returns the hash of what the model was shown of path, "" when it was
// shown nothing.
func (s *Seen) SHA256(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}

// Forget drops path: it was removed, or changed by something else.
func (s *Seen) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, path)
}
