//go:build linux || darwin || freebsd || netbsd || openbsd

package pdf

import "syscall"

// reserve returns zeroed memory that the system backs where it is touched. It
// lies outside the heap, so that the collector does not take it for live data
// and let as much garbage gather.
func reserve(n int64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// release gives it back; nobody may touch it any more.
func release(b []byte) { _ = syscall.Munmap(b) } // cannot fail for what reserve returned
