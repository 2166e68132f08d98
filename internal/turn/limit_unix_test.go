//go:build unix

package turn

import (
	"math"
	"os/signal"
	"syscall"
)

// limitFiles makes every write of this process fail beyond a size of its file.
func limitFiles(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	return limit(syscall.RLIMIT_FSIZE, bytes)
}

// limitOpen makes every attempt of this process to open a file fail that would give
// it more than n.
func limitOpen(n uint64) error { return limit(syscall.RLIMIT_NOFILE, n) }

// noLimits undoes both.
func noLimits() error {
	if err := limit(syscall.RLIMIT_FSIZE, math.MaxUint64); err != nil {
		return err
	}
	return limit(syscall.RLIMIT_NOFILE, math.MaxUint64)
}

// limit sets a limit, or lifts it as far as the process may.
func limit(resource int, n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(resource, &l); err != nil {
		return err
	}
	l.Cur = min(n, l.Max)
	return syscall.Setrlimit(resource, &l)
}
