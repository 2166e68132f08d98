//go:build unix

package workspace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// permitted asks the kernel, for the effective user, so that nothing has to be
// created to find out; a disk mounted read-only cannot be written to either.
func permitted(path string, write bool) error {
	mode := uint32(unix.R_OK | unix.X_OK)
	if write {
		mode |= unix.W_OK
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("access %s: %w", path, err)
	}
	return nil
}
