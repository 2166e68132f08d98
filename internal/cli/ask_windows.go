package cli

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// dropTyped forgets what was typed at a console and not read yet.
func dropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) // at worst a line is taken for an answer, as in any program
	}
}

// stayInBackground does nothing: a console has no background processes.
func stayInBackground() {}
