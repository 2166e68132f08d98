//go:build unix

package durable

import (
	"os"
	"syscall"
)

// giveTo gives f to the owner of like, as far as this process may.
func giveTo(f *os.File, like os.FileInfo) {
	if is, ok := like.Sys().(*syscall.Stat_t); ok && (int(is.Uid) != os.Geteuid() || int(is.Gid) != os.Getegid()) {
		_ = f.Chown(int(is.Uid), int(is.Gid)) // not being allowed to is no fault
	}
}
