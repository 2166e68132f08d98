package app

import (
	"os"
	"runtime"
)

// processorsEach is how many of the scheduler's processors a server has for each that
// the machine gives it. A thread that flushes a file keeps its processor until the
// runtime takes it away, which is late for so short a call. With twice as many, a
// machine of two cores completes a third more turns per second (docs/performance.md).
const processorsEach = 2

// addProcessors gives the scheduler of a server more processors, until the returned
// function is called. It leaves an operator's own GOMAXPROCS alone.
func addProcessors() (restore func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	before := runtime.GOMAXPROCS(processorsEach * runtime.GOMAXPROCS(0))
	return func() { runtime.GOMAXPROCS(before) }
}
