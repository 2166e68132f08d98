package session

import (
	"cmp"
	linked "container/list"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"belay/internal/durable"
	"belay/internal/event"
)

// The defaults of [Options.IdleClose], which outlasts the pause between two messages of
// a person, and of [Options.IdleMax].
const (
	DefaultIdleClose = time.Minute
	DefaultIdleMax   = 1024
)

// Options say where a [Store] keeps things and within which bounds. StateDir is
// required; every other zero value has a default.
type Options struct {
	// StateDir is the operator's state folder (0700): the index of sessions,
	// their locks and the requests to interrupt one.
	StateDir string
	// SessionRoot holds all session folders when it is set (the configuration
	// key behind CHIRALITY_SESSION_ROOT), instead of each project its own.
	SessionRoot string
	// HomeProject is the caller's own project, if it has one: a session that the
	// index has lost is looked for there by its id.
	HomeProject string
	// Clock and NewID are the sources of time and of UUIDs.
	Clock func() time.Time
	NewID func() string
	// SegmentBytes is the size at which an event log begins a new file, 8 MiB
	// by default.
	SegmentBytes int64
	// TailBytes bounds the recent events that a log keeps in memory, 64 KiB by
	// default. A reader further behind reads the file.
	TailBytes int
	// LagBytes bounds what all readers together hold that are further behind, 8 MiB
	// by default, beside leastBatch for each.
	LagBytes int64
	// IdleClose is how long a session that nobody runs or reads stays in memory
	// with its files open, 60 s by default.
	IdleClose time.Duration
	// IdleMax is how many of these there may be, 1,024 by default: each has up to
	// [FilesPerSession] files open.
	IdleMax int
	// Poll is how often files of other processes are looked at in case the
	// system's notification was missed, 1 s by default.
	Poll time.Duration
	// ImportBytes and ImportFiles bound an unpacked import, 4 GiB and 20,000 by
	// default.
	ImportBytes int64
	ImportFiles int
	// Committer flushes files; one of its own by default, which Close closes.
	Committer *durable.Committer
	// BootID names the time since the system started: writes of another boot may have
	// been lost in a power cut. The system's own by default.
	BootID string
	// Observer sees the events that this process appends, after they are in the
	// file, in order within a session. It must not block and must not emit.
	Observer func(sessionID string, evs []event.Event)
	// Forget drops what others keep for a session that was deleted. Where a crash
	// cuts a deletion off, GC calls it again.
	Forget func(sessionID string) error

	// openLines replaces the disk in tests.
	openLines func(root *os.Root, name string) (*durable.Lines, error)
}

// FilesPerSession is how many files a session that nobody uses keeps open: its
// transcript, the end of its log, and its lock.
const FilesPerSession = 3

// Store finds and keeps sessions. It is safe for concurrent use, and several
// processes may each have one on the same folders.
type Store struct {
	o        Options
	stateDir *durable.Folder
	watch    *watcher
	// ownCommitter is set when Close has to close the committer.
	ownCommitter bool
	// leases counts the leases that this process holds.
	leases atomic.Int64

	// proven are blobs that hold what their names say, flushed the folders whose names
	// this process has made durable, and the blobs.
	proven, flushed seenFiles

	lag *budget
	// recent is what readers parsed last.
	recent recent
	stop   chan struct{} // closed by Close
	wg     sync.WaitGroup
	maker  maker

	paths  paths
	states states
	lists  lists
	uses   uses
	// Signals are between processes, about turns.
	Signals Signals
	// Archive takes sessions in and out of projects.
	Archive Archive
	// Upkeep checks sessions and removes what is not needed any more.
	Upkeep Upkeep
}

// The folders of the state folder.
const (
	dirIndex         = "sessions"
	dirLocks         = "locks"
	dirInterrupts    = "interrupts"
	dirInputs        = "inputs"
	dirSegmentHashes = "seals"
	dirProjects      = "projects"
	dirLists         = "lists"
)

// NewStore opens the state folder, making it when it is not there. Nothing else
// is touched until a session is.
func NewStore(o Options) (*Store, error) {
	if o.StateDir == "" {
		return nil, errors.New("open session store: no state folder")
	}
	s := &Store{o: o, stop: make(chan struct{})}
	s.paths.store, s.lists.store, s.uses.store, s.Signals.store, s.Archive.store, s.Upkeep.store = s, s, s, s, s, s
	s.maker.dir = filepath.Join(o.StateDir, dirMakers)
	s.states = states{store: s, all: map[string]*sessionState{}, idle: linked.New()}
	s.ownCommitter = s.o.Committer == nil
	s.o.withDefaults()
	s.lag = newBudget(s.o.LagBytes, lineWait)
	state, err := durable.NewFolder(o.StateDir, dirIndex, dirLocks, dirInterrupts, dirInputs, dirSegmentHashes, dirProjects, dirLists, dirMakers)
	if err != nil {
		return nil, fmt.Errorf("open session store: %w", err)
	}
	s.stateDir = state
	s.watch = newWatcher(s.o.Poll)
	return s, nil
}

// withDefaults completes the options.
func (o *Options) withDefaults() {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomUUID
	}
	o.SegmentBytes = cmp.Or(o.SegmentBytes, 8<<20)
	o.TailBytes = cmp.Or(o.TailBytes, 64<<10)
	o.LagBytes = cmp.Or(o.LagBytes, 8<<20)
	o.IdleClose = cmp.Or(o.IdleClose, DefaultIdleClose)
	o.IdleMax = cmp.Or(o.IdleMax, DefaultIdleMax)
	if o.BootID == "" {
		o.BootID = durable.BootID()
	}
	o.Poll = cmp.Or(o.Poll, time.Second)
	o.ImportBytes = cmp.Or(o.ImportBytes, 4<<30)
	o.ImportFiles = cmp.Or(o.ImportFiles, 20_000)
	if o.Committer == nil {
		o.Committer = durable.NewCommitter(0)
	}
	if o.openLines == nil {
		o.openLines = func(root *os.Root, name string) (*durable.Lines, error) {
			return durable.OpenLines(root, name, 0o600, kindOf(name))
		}
	}
}

// Close ends the store's goroutines, wakes every reader with an error and closes
// all files. Leases should have been released before.
func (s *Store) Close() error {
	all, first := s.states.close()
	if !first {
		return nil
	}
	close(s.stop)
	s.wg.Wait()
	errs := []error{s.watch.close()}
	for _, l := range all {
		errs = append(errs, l.shut(errStoreClosed))
	}
	s.uses.close()
	if s.ownCommitter {
		errs = append(errs, s.o.Committer.Close())
	}
	return errors.Join(append(errs, s.maker.leave(s.stateDir.Root()), s.stateDir.Close())...)
}

// errStoreClosed is what readers and writers get after Close.
var errStoreClosed = errors.New("the session store is closed")

// background runs f until it returns; Close waits for it. On a closed store it
// does nothing and says so.
func (s *Store) background(f func()) bool {
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	if !s.states.closed {
		s.wg.Go(f)
	}
	return !s.states.closed
}

// lockPath is where the lock of a session is.
func (s *Store) lockPath(id string) string {
	return filepath.Join(s.o.StateDir, dirLocks, id+".lock")
}

// missing reports whether err says that a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// unreached is missing, also where what should be a folder on the way is none.
func unreached(err error) bool { return missing(err) || errors.Is(err, syscall.ENOTDIR) }
