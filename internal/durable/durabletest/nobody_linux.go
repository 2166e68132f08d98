// Package durabletest helps tests of files.
package durabletest

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// AsNobody runs f as a user whom permission bits bind. Root is bound by none,
// so for the time of the call this thread alone is the user that owns nothing,
// and may enter only folders that are open to all.
func AsNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const keep, nobody = ^uintptr(0), 65534
	become := func(user uintptr) {
		t.Helper()
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, keep, user, keep); errno != 0 {
			t.Fatal(errno) // the thread stays locked and ends with this goroutine
		}
	}
	runtime.LockOSThread()
	become(nobody)
	f()
	become(0)
	runtime.UnlockOSThread()
}
