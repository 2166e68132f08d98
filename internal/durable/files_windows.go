package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// acrossFileSystems reports whether a rename failed because its two names are on
// different file systems.
func acrossFileSystems(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }

// lockAt is far beyond any content: a locked range cannot be read by others on
// Windows, and the content of a lock file is meant to be read.
const lockAt = 1 << 30

// tryLock takes a lock that belongs to the handle; a shared one excludes only
// exclusive ones.
func tryLock(f *os.File, exclusive bool) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockAt})
}

// giveTo does nothing: a file on Windows inherits its access list from its folder.
func giveTo(*os.File, os.FileInfo) {}

// nonblock is not needed where the file system has no pipes.
const nonblock = 0

// syncDir makes the entries of a directory durable: files created in, renamed
// into or removed from it. Windows journals them itself and offers no such call.
func syncDir(*os.Root, string) error { return nil }
