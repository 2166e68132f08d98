//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// stayInBackground lets a read from the terminal fail where this process is not in
// its foreground, instead of stopping the process and with it the turn.
func stayInBackground() { signal.Ignore(syscall.SIGTTIN) }
