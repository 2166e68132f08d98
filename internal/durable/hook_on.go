//go:build crashtest

package durable

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"syscall"
)

// ErrSkipped is what a hook returns to leave an operation out and report success, as
// a disk does that lies about a flush.
var ErrSkipped = errors.New("the operation is left out")

// Hook sees every change of files. Before is called ahead of it, and an error is
// the operation's: nothing is done. After is called when it was done. Both may
// be nil, and come from any goroutine.
type Hook struct {
	Before func(Op) error
	After  func(Op)
}

var hook atomic.Pointer[Hook]

// SetHook installs h for the whole process; nil removes it.
func SetHook(h *Hook) { hook.Store(h) }

// RefuseFolders lets every flush of a folder fail whose path has the part part, until
// the hook is removed.
func RefuseFolders(part string) {
	SetHook(&Hook{Before: func(op Op) error {
		if op.Verb == OpFlushDir && strings.Contains(op.Path, part) {
			return syscall.EIO
		}
		return nil
	}})
}

var errDead = errors.New("the process is dead")

// DieAt runs f as a process that dies at its nth operation on files, from 1: that and
// all that follow are not done. It reports whether f came so far.
func DieAt(n int, f func()) bool {
	at := 0
	SetHook(&Hook{Before: func(op Op) error {
		if at++; at >= n {
			return errDead
		}
		if op.Verb == OpFlush || op.Verb == OpFlushDir {
			return ErrSkipped // a process that dies loses nothing that the system has
		}
		return nil
	}})
	defer SetHook(nil)
	f()
	return at >= n
}

var boot atomic.Pointer[string]

// SetBootID replaces the system's boot id, as if it had started again.
func SetBootID(id string) { boot.Store(&id) }

// BootID is the id that was set, or the system's.
func BootID() string {
	if id := boot.Load(); id != nil {
		return *id
	}
	return systemBootID()
}

// inOrder says whether operations run one after the other, so that a test can
// count them.
func inOrder() bool { return hook.Load() != nil }

func do(op Op, work func() error) error {
	h := hook.Load()
	if h == nil {
		return work()
	}
	if h.Before != nil {
		switch err := h.Before(op); {
		case errors.Is(err, ErrSkipped):
			return nil
		case err != nil:
			return &fs.PathError{Op: string(op.Verb), Path: op.Path, Err: err}
		}
	}
	if err := work(); err != nil {
		return err
	}
	if h.After != nil {
		h.After(op)
	}
	return nil
}
