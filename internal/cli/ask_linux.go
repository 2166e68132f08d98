package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed at a terminal and not read yet.
func dropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // at worst a line is taken for an answer, as in any program
	}
}
