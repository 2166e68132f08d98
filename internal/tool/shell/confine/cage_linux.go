package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// encage applies the plan to the calling thread, which must be locked: what it
// starts from then on inherits all of it, and none of it can be taken back.
func (p plan) encage() error {
	if err := p.limit(); err != nil {
		return &SetupError{"limit what the command uses", err}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &SetupError{"keep the command from gaining privileges", err}
	}
	if p.Landlock > 0 {
		if err := p.landlock(); err != nil {
			return &SetupError{"confine the command by Landlock", err}
		}
	}
	if err := dropCapabilities(); err != nil {
		return &SetupError{"take the command's capabilities", err}
	}
	if p.Filter {
		if err := p.filter(); err != nil {
			return &SetupError{"filter the command's system calls", err}
		}
	}
	return nil
}

// limit sets the limits of the command's processes. No process of the keeper's
// other threads is started.
func (p plan) limit() error {
	limits := map[int]int64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: int64(p.Limits.Files),
		unix.RLIMIT_FSIZE: p.Limits.FileBytes, unix.RLIMIT_DATA: p.Limits.MemoryBytes,
	}
	if uid := os.Geteuid(); uid != 0 { // root has no such limit
		// It counts threads, and without namespaces all of the user's. It is the
		// second line: processes are counted by the keeper, which needs threads
		// itself.
		most := threadsPerProcess * p.Limits.Processes
		if !p.Namespaces {
			most += threadsOf(uid)
		}
		limits[unix.RLIMIT_NPROC] = int64(most)
	}
	for what, most := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(what, &now); err != nil {
			return err
		}
		most := min(uint64(most), now.Max)
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	return nil
}

// threadsPerProcess is how many threads a process may have on the average.
const threadsPerProcess = 4

// dropCapabilities takes all capabilities from the calling thread and everything
// that it starts, also when the user is root.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		// A user without capabilities cannot drop what it does not have; a kernel
		// may know fewer than we do.
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return err
	}
	runtime.KeepAlive(none)
	return nil
}
