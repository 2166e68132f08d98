//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an flock: it belongs to the open file description, so it also
// excludes other descriptors of the same process. A shared one excludes only
// exclusive ones.
func tryLock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH | syscall.LOCK_NB
	if exclusive {
		how = syscall.LOCK_EX | syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// giveTo gives f the owner and group of like. Where this process may not do that, the file
// keeps its own.
func giveTo(f *os.File, like os.FileInfo) {
	if is, ok := like.Sys().(*syscall.Stat_t); ok && (int(is.Uid) != os.Geteuid() || int(is.Gid) != os.Getegid()) {
		_ = f.Chown(int(is.Uid), int(is.Gid)) // a refusal leaves the file usable
	}
}

// nonblock keeps the open of a pipe that took a file's place from waiting. It
// means nothing for a file; without it [os.Root] makes four more system calls to
// find that out.
const nonblock = syscall.O_NONBLOCK

// syncDir makes the entries of a directory durable: files created in, renamed
// into or removed from it. Systems that cannot flush a directory do nothing.
func syncDir(root *os.Root, dir string) error {
	d, err := root.OpenFile(dir, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
