package session

import (
	"cmp"
	linked "container/list"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"belay/internal/durable"
)

// sessionState is a session in memory: one object per session and process, however many
// leases, readers and lookups come and go. It keeps what would be slow to read
// again and is dropped when nobody has needed it for a while.
//
// Lock order: emit, then mu, then states.mu.
type sessionState struct {
	store *Store
	id    string

	// emit is held for the whole of an append to the log, so that the observer
	// sees events in order while mu is free for readers.
	emit sync.Mutex

	mu      sync.Mutex
	path    sessionPath
	rec     Record
	recSeen fs.FileInfo // of the file that rec was read from
	// recWhole is set where that file says all of rec and was written since the
	// system started.
	recWhole bool
	// unwritten is set while there is no such file yet: the session was just made here.
	unwritten bool
	useSeen   fs.FileInfo // of the transcript that rec's time of use is from
	// lease is set while this process holds the session, also while it is being
	// taken.
	lease *Lease
	// resting is the lock of the last lease, not held, for the next one; nil where
	// there was none or one has it.
	resting *durable.FileLock
	// folder is open from when a lease needs it first until its end; see root.
	folder     *os.Root
	transcript transcript
	log        eventLog
	// noted is the lock file's content as this process last wrote it, noteContent the
	// note that it is.
	noted       []byte
	noteContent note
	// unreported are the sentences of [Lease.Tampered].
	unreported []string
	// wake is closed when readers should look again; nil when none waits.
	wake    chan struct{}
	readers int
	watch   *watch // set while another process is followed
	// foldersFlushed is set once the names that lead to the transcript are durable.
	foldersFlushed bool
	gone           error
	// memo belongs to the holder of the lease; see Lease.Memo.
	memo any

	// Guarded by states.mu: idle is the session's element among those that nobody uses,
	// nil while somebody does.
	refs int
	used time.Time
	idle *linked.Element
}

// shut closes the session's files; with a reason, readers end with it.
func (l *sessionState) shut(reason error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if reason != nil && l.gone == nil {
		l.gone = reason
	}
	l.unwatch()
	l.broadcast()
	return l.closeFiles()
}

// closeFiles closes what is open and forgets what was cached. l.mu is held.
func (l *sessionState) closeFiles() error {
	err := errors.Join(l.transcript.close(), l.log.close())
	l.closeRoot()
	if l.resting != nil {
		err = errors.Join(err, l.resting.Close())
		l.resting = nil
	}
	l.transcript, l.log, l.noted, l.recSeen, l.unwritten = transcript{}, eventLog{}, nil, nil, false
	return err
}

// broadcast wakes every waiting reader. l.mu is held.
func (l *sessionState) broadcast() {
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// waiter returns the channel that the next broadcast closes. l.mu is held.
func (l *sessionState) waiter() <-chan struct{} {
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return l.wake
}

// record returns the session's record as it is on disk now, reading it only when
// the file changed. l.mu is held.
func (l *sessionState) record() (Record, error) {
	if l.gone != nil {
		return Record{}, l.gone
	}
	info, err := os.Lstat(l.path.file(fileRecord))
	if unreached(err) && !l.lease.holds() && !l.path.exists() {
		if err := l.relocate(); err != nil {
			return Record{}, err
		}
		info, err = os.Lstat(l.path.file(fileRecord))
	}
	switch {
	case unreached(err) && l.unwritten && l.useKnown():
		return l.rec, nil
	case unreached(err) && l.path.exists():
		info = nil // it is made again from the transcript
	case unreached(err):
		return Record{}, cmp.Or(l.path.spoilt(), error(notFound(l.id)))
	case err != nil:
		return Record{}, storage("the session's record cannot be read", err)
	case l.recSeen != nil && unchanged(l.recSeen, info) && l.useKnown():
		return l.rec, nil
	}
	root, err := l.path.open()
	if err != nil {
		return Record{}, storage("the session's folder cannot be opened", err)
	}
	defer func() { _ = root.Close() }()
	rec, whole, seen, err := readRecordNow(root, l.id, l.store.o.BootID)
	switch {
	case missing(err):
		return Record{}, notFound(l.id)
	case errors.Is(err, ErrMalformed):
		return Record{}, malformed(l.id, l.path, err)
	case isNewer(err):
		return Record{}, tooNew(l.id, err)
	case err != nil:
		return Record{}, storage("the session's record cannot be read", err)
	}
	l.rec = l.path.settle(rec)
	l.recSeen, l.recWhole, l.useSeen, l.unwritten = info, whole, seen, false
	if rec.ProjectRoot != l.rec.ProjectRoot {
		l.recSeen = nil // whether it is a copy depends on more than this file
	}
	return l.rec, nil
}

// relocate follows a folder that was moved, if the index knows where to. l.mu is
// held.
func (l *sessionState) relocate() error {
	p, err := l.store.paths.locate(l.id)
	if err != nil {
		return err
	}
	l.unwatch()
	_ = l.closeFiles() // of files that are gone
	l.path = p
	return nil
}

// unchanged reports whether two looks at a path saw the same file with the same
// content, as far as its size and times tell.
func unchanged(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}
