package cli

import "os"

// signals are what a script can send to a process.
var signals = map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}
