package attachment

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow opens path for reading and returns what the descriptor is.
//
// Windows has no open that refuses links in one step that Go exposes, so the
// entry is looked at before, and the open is refused unless the descriptor is
// the very file that was seen: a link exchanged in between leads elsewhere.
func openNoFollow(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	if err != nil {
		_ = f.Close() // the error above says more
		return nil, nil, err
	}
	return f, info, nil
}

// errorTooManyOpenFiles is the system's ERROR_TOO_MANY_OPEN_FILES.
const errorTooManyOpenFiles = syscall.Errno(4)

func outOfDescriptors(err error) bool { return errors.Is(err, errorTooManyOpenFiles) }

// isNotDir reports that a parent in the path is a file. Windows says path not
// found, which is already fs.ErrNotExist.
func isNotDir(error) bool { return false }
