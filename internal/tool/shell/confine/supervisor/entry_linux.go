package supervisor

import "os"

// init enters the supervisor. It is the one place where this program does something
// before main, for the sake of speed. It acts on an argument that no command line
// has, and does nothing without the pipes that only package confine opens.
func init() {
	if len(os.Args) == 2 && os.Args[1] == Arg {
		os.Exit(run())
	}
}
