//go:build crashtest

package crash

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// ownMounts is set for a process that has mounts of its own.
const ownMounts = "BELAY_CRASH_TEST_OWN_MOUNTS"

// inOwnMounts runs the test that calls it in a process with mounts of its own, and
// reports whether this is that process. Nobody else holds these mounts: a file
// system is really gone when it was unmounted, and nothing stays mounted whatever
// becomes of the test.
func inOwnMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownMounts) != "" {
		return true
	}
	which := flag.Lookup("test.run").Value.String()
	if !strings.HasPrefix(strings.TrimPrefix(which, "^"), t.Name()) { // else it may name a part of the test
		which = "^" + t.Name() + "$"
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.timeout=0", "-test.run="+which, fmt.Sprint("-cut.rounds=", *cutRounds), fmt.Sprint("-cut.seed=", *cutSeed))
	cmd.Env = append(os.Environ(), ownMounts+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // it dies with the thread that began it
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && cmd.ProcessState == nil: // it never began
		cannot(t, err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	default:
		t.Logf("%s", out)
	}
	return false
}

// cannot skips a test that the machine has not got what it takes for, but not in CI.
func cannot(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skipf("skipped, not passed: %v", why)
}
