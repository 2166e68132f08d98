// Package journal changes files of a project so that a crash leaves no change half
// done, and so that nothing that was replaced is lost on the way.
//
// A transaction is a list of changes: files that are made, replaced or removed,
// links, permissions, folders ([Change]). [Store.Open] takes the project's lock:
// one transaction at a time, in whichever process. Then:
//
//	tx, err := p.Begin(plan) // looks at what the changes replace
//	err = tx.Prepare()       // the new contents are in PROJECT/.belay/journal, on disk
//	err = tx.Apply(ctx)      // the intent is on disk; then the project changes
//	tx.Done()                // everyone who must know of it does; else tx.Leave()
//
// Until Apply has written the intent, nothing of the project is touched, and a
// crash leaves contents that the next Open removes. From then on the next Open
// completes the transaction, also when nobody called Done. Each file changes places
// with its new content in one step (see [durable.Exchange]); what came out is
// compared with what the caller had looked at, and changes back if somebody else
// was faster. That is a conflict ([ConflictError]): the file stays as that somebody
// left it, and all that the transaction had done is taken back. So the files are
// either all changed or none. Where the file system cannot exchange files, and
// where another one is mounted inside the project, the new content is written
// beside the file and renamed over it, with a copy of the old one made before.
//
// The records of intents are in the state folder ([Store]); they name what to do,
// with the hashes and the inode numbers of what was there and what shall be. The
// contents are in the project. A record whose contents are gone is of a
// transaction that was over; contents without a record are of one that never
// began. A record that is not whole was not on disk, so it never began either.
//
// What Open completed or took back for a dead process is kept for the session
// that had begun it ([Store.Settled]), until it is reported ([Store.Forget]).
//
// Names in a project are bytes. Paths are relative, with slashes, and no part of
// one may be a link. They never lead into .belay or .git, unless the plan says
// that somebody has reviewed that.
package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"belay/internal/durable"
)

// Where things are in a project.
const (
	dirBelay   = ".belay"
	dirJournal = dirBelay + "/journal"
)

// ErrBusy says that somebody else changes files of the project for longer than was
// to be waited for.
var ErrBusy = errors.New("somebody else changes files of the project")

// lockWait is how long the lock of a project is waited for.
const lockWait = time.Minute

// Store is the journals of all projects that belong to one state folder. It does
// nothing by itself, holds no file open and is safe for concurrent use.
type Store struct {
	dir   string
	mark  string // begins the ids of transactions of this state folder
	clock func() time.Time
	real  sync.Map // of the paths of projects
	sure  known
	// exchange and renameNew are the file system's; tests have ones that cannot.
	exchange, renameNew func(a, b durable.Entry) error
	// flushesAtOnce and flushAll are the system's; tests have ones that they watch.
	flushesAtOnce func(folder *os.Root, n int) bool
	flushAll      func(folder *os.Root) error
}

// New returns the store whose records are in dir, a folder that no tool and no
// command can reach. It is made when it is needed. A nil clock is time.Now.
func New(dir string, clock func() time.Time) *Store {
	if clock == nil {
		clock = time.Now
	}
	return &Store{
		dir: dir, mark: short(dir)[:8] + "-", clock: clock, exchange: durable.Exchange, renameNew: durable.RenameNew,
		flushesAtOnce: durable.FlushesAtOnce, flushAll: durable.FlushAll,
	}
}

// short is a name of a path that is the same in every process.
func short(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16])
}

// place is where the records of a project are, and its real path: a project has
// one journal by whatever name it is called.
func (s *Store) place(project string) (dir, path string, err error) {
	if known, ok := s.real.Load(project); ok {
		path = known.(string)
	} else {
		if path, err = filepath.EvalSymlinks(project); err != nil {
			return "", "", fmt.Errorf("journal: %w", err)
		}
		s.real.Store(project, path)
	}
	return filepath.Join(s.dir, short(path)), path, nil
}

// Owner is on whose behalf files are changed. The journal only keeps it.
type Owner struct {
	// What is the tool, or "undo".
	What string `json:"what"`
	// Session and Turn are whose changes these are; Agent and Call name the tool
	// call, By the person.
	Session string `json:"session,omitempty"`
	Turn    string `json:"turn,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Call    string `json:"call,omitempty"`
	By      string `json:"by,omitempty"`
}

// Conflict is a path that somebody else changed meanwhile. It is as they left it.
type Conflict struct {
	Path Name `json:"path"`
	// Reason is what was found, a clause without a subject.
	Reason string `json:"reason"`
	// Kept names, relative to the project, the content that has no place now: the
	// one that was to be put there, or the one that was there before. It is "" where
	// nothing was kept.
	Kept Name `json:"kept,omitempty"`
}

// ConflictError says that a transaction was not made, because of these paths.
type ConflictError struct{ Conflicts []Conflict }

// Error implements error.
func (e *ConflictError) Error() string {
	c := e.Conflicts[0]
	text := fmt.Sprintf("%s %s", c.Path, c.Reason)
	if c.Kept != "" {
		text += fmt.Sprintf(" (the other content is in %s)", c.Kept)
	}
	if n := len(e.Conflicts) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

// ContentError says that the content of a change is not what the change says: what
// was kept of it is damaged.
type ContentError struct{ Path Name }

// Error implements error.
func (e *ContentError) Error() string {
	return fmt.Sprintf("the content that is to be put into %s is not the one that was kept", e.Path)
}

// NewerError says that a record was written by a newer version of belay. It is
// left alone, and so is the project.
type NewerError struct {
	File    string
	Version int
}

// Error implements error.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has the format %d, and this belay knows %d: a newer belay must finish what it began", e.File, e.Version, version)
}
