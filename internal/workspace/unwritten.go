package workspace

import (
	"errors"
	"io/fs"
	"syscall"
)

// Unwritten returns the next step where a file of a folder could not be written, which ends
// with again, and why that was so. Where the folder may not be written the reason names it:
// the file that the system names is a temporary one that nobody knows.
func Unwritten(err error, folder, again string) (hint string, cause error) {
	switch {
	case errors.Is(err, syscall.EROFS):
		return "the disk of " + folder + " is mounted to be read only; make it writable, then " + again, &fs.PathError{Op: "write", Path: folder, Err: syscall.EROFS}
	case errors.Is(err, fs.ErrPermission):
		return "let your user write " + folder + " (ls -ld shows who may), then " + again, &fs.PathError{Op: "write", Path: folder, Err: fs.ErrPermission}
	}
	return "free disk space or look after the disk, then " + again, err
}
