package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// untouched reports whether two looks at a file saw the same one with the same
// content: nothing changes that without changing the times.
func untouched(seen, now fs.FileInfo) bool {
	a, okA := seen.Sys().(*syscall.Stat_t)
	b, okB := now.Sys().(*syscall.Stat_t)
	return okA && okB && a.Dev == b.Dev && a.Ino == b.Ino && a.Size == b.Size && a.Mtim == b.Mtim && a.Ctim == b.Ctim
}

// alone reports whether nothing can write to an open file any more: the system gives a
// lease to its readers only then.
func alone(f *os.File) bool {
	fd := f.Fd()
	if _, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		return false
	}
	_, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_UNLCK)
	return err == nil
}

// Attributes of files: those of an overlay are removed, and the label that a system
// gives to every file may stay.
const (
	attrOverlay = "user.overlay."
	attrLabel   = "security.selinux"
)

// strip removes from an open file or folder the attributes of an overlay, and reports
// whether it has no others: those came from a command, and mean rights on some systems.
func strip(f *os.File) bool {
	var names [4096]byte
	fd := int(f.Fd())
	n, err := unix.Flistxattr(fd, names[:])
	if errors.Is(err, unix.ENOTSUP) {
		return true
	} else if err != nil {
		return false
	}
	for name := range bytes.SplitSeq(names[:n], []byte{0}) {
		switch attr := string(name); {
		case attr == "" || attr == attrLabel:
		case !strings.HasPrefix(attr, attrOverlay) || unix.Fremovexattr(fd, attr) != nil:
			return false
		}
	}
	return true
}
