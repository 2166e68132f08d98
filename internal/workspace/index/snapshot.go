package index

import (
	"sync"
	"time"

	"belay/internal/workspace/scan"
)

// Mode is how an index learns of changes.
type Mode string

// The modes.
const (
	// Events: the system reports changes.
	Events Mode = "events"
	// Polling: the project is looked at now and then, and at every question.
	Polling Mode = "polling"
)

// Snapshot is what a project held at one moment. It does not change.
type Snapshot struct {
	Root string
	// Version grows with every change of a file in the project that the index
	// knows of. Versions of one root grow over restarts of the program too.
	Version uint64
	Mode    Mode
	*Layout
	memo
}

// Layout is the part of a snapshot that the change of a file often leaves as it
// was: consecutive snapshots share it then.
type Layout struct {
	*scan.Result
	// At is when the result came to be.
	At time.Time
	memo
}

// memo keeps what is worth making once.
type memo struct {
	mu   sync.Mutex
	made map[any]func() (any, error)
}

// Once returns what make makes, made once for each key in the life of the snapshot
// or layout; others wait. An error is kept too. Keys should have a type of their
// own.
func (m *memo) Once(key any, make func() (any, error)) (any, error) {
	m.mu.Lock()
	once := m.made[key]
	if once == nil {
		once = sync.OnceValues(make)
		if m.made == nil {
			m.made = map[any]func() (any, error){}
		}
		m.made[key] = once
	}
	m.mu.Unlock()
	return once()
}
