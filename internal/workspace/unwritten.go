package workspace

import (
	"errors"
	"io/fs"
	"syscall"
)

// Unwritten returns why a file of a folder could not be written, and the next step, which
// ends with again. Where the folder may not be written the reason names it: the file that the
// system names is a temporary one that nobody knows.
func Unwritten(err error, folder, again string) (cause error, hint string) {
	switch {
	case errors.Is(err, syscall.EROFS):
		return &fs.PathError{Op: "write", Path: folder, Err: syscall.EROFS}, "the disk of " + folder + " is mounted to be read only; make it writable, then " + again
	case errors.Is(err, fs.ErrPermission):
		return &fs.PathError{Op: "write", Path: folder, Err: fs.ErrPermission}, "let your user write " + folder + " (ls -ld shows who may), then " + again
	}
	return err, "free disk space or look after the disk, then " + again
}
