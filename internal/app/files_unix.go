//go:build unix

package app

import (
	"math"
	"syscall"
)

// openFileLimit is how many files this process may have open, 0 where the system
// does not say. Go's runtime has already raised the soft limit to the hard one.
func openFileLimit() int {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return int(min(r.Cur, math.MaxInt32))
}
