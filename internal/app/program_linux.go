package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseProgram has the kernel unmap the pages of the program file that this process holds: its
// start touches most of them, the work of a server far fewer. What runs next is mapped again, from
// the cache of files. Parts with pages of their own, as relocations make them, are left alone.
func releaseProgram() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	var (
		errs     []error
		from, to uintptr
		mapped   bool
	)
	for line := range strings.Lines(string(maps)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !strings.HasSuffix(key, ":"):
			n, _ := fmt.Sscanf(key, "%x-%x", &from, &to)
			mapped = n == 2 && strings.HasPrefix(value, "r-") && strings.HasSuffix(value, " "+program)
		case mapped && key == "Anonymous:" && strings.TrimSpace(value) == "0 kB":
			if _, _, errno := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); errno != 0 {
				errs = append(errs, errno)
			}
		}
	}
	return errors.Join(errs...)
}
