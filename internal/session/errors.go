package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"belay/internal/fault"
)

var (
	// ErrBusy is in the chain of the TURN_IN_PROGRESS fault that says that a
	// session's lease is held, by this process or another.
	ErrBusy = errors.New("the session is busy")
	// ErrReleased is returned by a [Lease] that was released.
	ErrReleased = errors.New("the lease was released")
	// ErrLockLost is in the chain of the STORAGE_FAILURE of a [Lease] whose lock
	// file was removed: another process may have taken the session since.
	ErrLockLost = errors.New("the lock file lost its name")
	// ErrMalformed is in the chain of the fault that says that a session's record
	// is there but cannot be used.
	ErrMalformed = errors.New("is malformed")
	// ErrNoBlob is in the chain of the NOT_FOUND fault that says that a blob
	// store does not have the content asked for.
	ErrNoBlob = errors.New("no such blob")
	// errLost is in the chain of the STORAGE_FAILURE of a commit whose files were
	// taken away.
	errLost = errors.New("the session's folder was moved or removed in the meantime")
	// ErrTooLarge is returned by [Blobs.Put] for content over its cap.
	ErrTooLarge = errors.New("the content is larger than the limit")
)

// Unusable reports whether err says that a session cannot be used, now or with this version of
// belay: it was deleted, its project is gone or not mounted, its record is malformed, or a later
// version wrote it. Callers that go through all sessions skip it.
func Unusable(err error) bool {
	return fault.Is(err, fault.SessionNotFound) || fault.Is(err, fault.WorkingRootInaccessible) || errors.Is(err, ErrMalformed) || isNewer(err)
}

// notFound is the fault for an id that is ill-formed or leads nowhere.
func notFound(id string) *fault.Error {
	if !ValidID(id) {
		return fault.New(fault.SessionNotFound, "the session id is not well-formed").With("sessionId", clip(id, 80))
	}
	return fault.New(fault.SessionNotFound, "no session has the id %s", id).With("sessionId", id)
}

func busy(id string) *fault.Error {
	return fault.New(fault.TurnInProgress, "a turn is in progress in session %s", id).
		With("sessionId", id).Because(ErrBusy)
}

func lockLost(id string) *fault.Error {
	return fault.New(fault.StorageFailure, "the lock of session %s was removed while it was held; another process may write to the session", id).
		With("sessionId", id).Because(ErrLockLost).
		WithHint("leave the lock files in the state folder alone; send the turn again")
}

// malformed is nothing that room on the disk would cure, so it is no 507.
func malformed(id string, p sessionPath, err error) *fault.Error {
	file := path.Join(p.rel, fileRecord)
	return fault.New(fault.StorageFailure, "the record of session %s cannot be used: %v", id, err).
		WithStatus(500).With("sessionId", id).With("file", file).
		Because(&fs.PathError{Op: "read", Path: p.file(fileRecord), Err: err}).
		WithHint("repair the file, or remove the session with belay session delete %s", id)
}

func readOnly(id string) *fault.Error {
	return fault.New(fault.SessionReadOnly, "session %s is a copy; the original still exists", id).With("sessionId", id)
}

// unreadable is the fault of a session whose transcript cannot be read.
func unreadable(id string, err error) error {
	if isNewer(err) {
		return tooNew(id, err)
	}
	return storage("the transcript of session "+id+" cannot be read", err)
}

// storage turns an error of the disk into the fault that callers may show. Its
// message has no path: those are in the cause, for the log. Faults and the
// context's own errors pass unchanged.
func storage(what string, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	f = fault.New(fault.StorageFailure, "%s: %s", what, reason(err)).Because(err)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return f.WithHint("let belay write to .belay in the project folder and to its state folder")
	case errors.Is(err, ErrMalformed):
		return f.WithHint("put the file back from a copy, or delete the session with belay session delete")
	case errors.Is(err, errLost):
		return f.WithHint("see where the project folder is now; a session moves with it (belay session list --project DIR)")
	}
	return f
}

// reason is the innermost sentence of err, without the paths around it.
func reason(err error) string {
	var (
		path *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return fault.Innermost(err).Error()
}

func clip(s string, n int) string { return s[:min(len(s), n)] }
