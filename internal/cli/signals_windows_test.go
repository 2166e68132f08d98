package cli

import "os"

// signalNames are what a script can send to a process.
var signalNames = map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}
