package confine

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A command does not reach the terminal that belay runs in: it could type there.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("skipped: this machine makes no terminals: %v", err)
	}
	defer master.Close()
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	defer terminal.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperTerminal$")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", fmt.Sprintf("CONFINE_TERMINAL=/dev/pts/%d", n))
	cmd.Stdin = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHelperTerminal is belay in TestNoTerminal, in a terminal.
func TestHelperTerminal(t *testing.T) {
	name := os.Getenv("CONFINE_TERMINAL")
	if name == "" {
		t.Skip("only run by TestNoTerminal")
	}
	own, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("belay has no terminal itself: %v", err)
	}
	must(t, own.Close())
	tries := []string{`: </dev/tty`, `mknod $TMPDIR/tty c 5 0 && : <$TMPDIR/tty`}
	for sandbox, o := range sandboxes {
		all := tries
		if !o.Off { // without a sandbox a command is its user, and may open any terminal of theirs
			all = append(all, `: <`+name, `: </proc/1/fd/0 && [ -t 0 ]`)
		}
		for _, try := range all {
			_, out := run(t, testRunner(o), room(t), `if { `+try+`; } 2>/dev/null; then echo reached; fi`)
			if strings.Contains(out, "reached") {
				t.Errorf("%s: %s reaches the terminal", sandbox, try)
			}
		}
	}
}
