//go:build unix

package turn

import (
	"os/signal"
	"syscall"
)

// limitFiles makes every write of this process fail beyond a size of its file.
func limitFiles(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = bytes
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
