//go:build unix

package cli

import (
	"os"
	"syscall"
)

// signalNames are what a script can send to a process.
var signalNames = map[string]os.Signal{
	"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill, "STOP": syscall.SIGSTOP, "HUP": syscall.SIGHUP,
}
