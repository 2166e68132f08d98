//go:build unix

package watch

import (
	"os"
	"syscall"
)

// openNonblock keeps the opening of a pipe from waiting for its other end.
const openNonblock = syscall.O_NONBLOCK

// unname takes the name of an open file away; its content stays until it is
// closed.
func unname(path string) error { return os.Remove(path) }

func dropUnnamed(string) error { return nil }
