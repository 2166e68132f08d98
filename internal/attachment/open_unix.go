//go:build unix

package attachment

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow opens path for reading and returns what the descriptor is.
//
// A final symbolic link is not followed and a pipe without a writer does not
// block. The look before the open keeps devices unopened (opening one can act on
// it); the verdict is the descriptor's, so nothing is gained by exchanging the
// file between the two.
func openNoFollow(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if mode := before.Mode(); mode&(fs.ModeDevice|fs.ModeSymlink|fs.ModeSocket) != 0 {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // the stat error says more
		return nil, nil, err
	}
	return f, info, nil
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// isNotDir reports that a parent in the path is a file: the path names nothing.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
