package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// caged lets Landlock take all but reading from this process and becomes the
// program: what a confined command costs at the least. Its caller has put it into
// namespaces.
func caged(program string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the rules are those of the thread that becomes the program
	const all, reading = 1<<13 - 1, unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	attr := struct{ files uint64 }{all}
	rules, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return fmt.Errorf("no Landlock: %w", e)
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: reading, Parent_fd: int32(root)}
	_, _, e = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if e != 0 {
		return e
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); e != 0 {
		return e
	}
	return syscall.Exec(path, []string{path}, nil)
}
