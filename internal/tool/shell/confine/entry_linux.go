package confine

import "os"

// init enters the keeper as soon as the packages are ready that it needs. It is
// the one place where this program does something before main, for the sake of
// speed: the packages of the rest of belay take longer to get ready than a
// command takes to start, and the keeper uses none of them. It acts on an
// argument that no command line has, and does nothing without the pipes that
// only [Runner.Run] opens.
func init() {
	if len(os.Args) == 0 {
		return
	}
	if code, ok := Sandboxed(os.Args[1:]); ok {
		os.Exit(code)
	}
}
