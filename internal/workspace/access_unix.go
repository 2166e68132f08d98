//go:build unix

package workspace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// permitted asks the kernel, for the effective user, so that nothing has to be
// created to find out; a disk mounted read-only is refused too.
func permitted(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK|unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("access %s: %w", path, err)
	}
	return nil
}
