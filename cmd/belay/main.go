// Command belay runs language-model agents on a project folder while people
// stay in control. See the README.
package main

import (
	"os"

	"belay/internal/cli"
)

func main() { os.Exit(cli.Main()) }
