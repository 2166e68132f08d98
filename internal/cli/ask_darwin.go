package cli

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed at a terminal and not read yet.
func dropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH) // at worst a line is taken for an answer, as in any program
	}
}

// stayInBackground lets a read from the terminal fail where this process is not in
// its foreground, instead of stopping the process and with it the turn.
func stayInBackground() { signal.Ignore(syscall.SIGTTIN) }
