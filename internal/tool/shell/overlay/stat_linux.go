package overlay

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// changed is when the inode of a file was changed last.
func changed(info fs.FileInfo) time.Time {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(s.Ctim.Unix())
}

// whiteout reports whether a file of an upper directory says that one of the project
// is gone.
func whiteout(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && s.Rdev == 0
}

// The attributes of an upper directory.
const (
	attrOpaque = "user.overlay.opaque"
	attrOrigin = "user.overlay.origin"
)

// opaque reports whether a folder of an upper directory hides what the project has in
// the folder of that name.
func opaque(folder *os.File) (bool, error) {
	var value [1]byte
	n, err := unix.Fgetxattr(int(folder.Fd()), attrOpaque, value[:])
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return false, nil
	}
	return n == 1 && value[0] == 'y', err
}

// keepsAttributes reports whether an attribute can be set on an open folder.
func keepsAttributes(folder *os.File) bool {
	const probe = "user.belay.probe"
	if unix.Fsetxattr(int(folder.Fd()), probe, []byte("y"), 0) != nil {
		return false
	}
	return unix.Fremovexattr(int(folder.Fd()), probe) == nil
}

// copied reports whether an open file of an upper directory began as a copy of one
// of the project.
func copied(file *os.File) bool {
	_, err := unix.Fgetxattr(int(file.Fd()), attrOrigin, nil)
	return err == nil
}

// Where the origin of a copy has the type of its file handle and the handle (struct ovl_fb of
// Linux). maxOrigin is the longest that there is.
const (
	originType   = 4
	originHandle = 21
	maxOrigin    = 256
)

// copyOfAnother reports whether a folder of an upper directory began as a copy of another folder
// than the one that the project has in its place now. It is not known in an overlay of an ordinary
// user, which notes only that there was one.
func copyOfAnother(upper, lower *os.File) (is, known bool) {
	var origin [maxOrigin]byte
	n, err := unix.Fgetxattr(int(upper.Fd()), attrOrigin, origin[:])
	if err != nil || n <= originHandle {
		return false, false
	}
	now, _, err := unix.NameToHandleAt(int(lower.Fd()), "", unix.AT_EMPTY_PATH)
	if err != nil {
		return false, false
	}
	return now.Type() != int32(origin[originType]) || !bytes.Equal(now.Bytes(), origin[originHandle:n]), true
}
