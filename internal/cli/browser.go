package cli

import (
	"context"
	"os/exec"
	"runtime"

	"belay/internal/app"
	"belay/internal/processgroup"
)

// openBrowser opens an address in the person's browser, if this machine can show one. The
// address was printed before, so a failure is only a warning.
func openBrowser(ctx context.Context, c *console, address string) {
	command := browserCommand(runtime.GOOS, c.env)
	if command == nil {
		return
	}
	var environ []string
	for name, value := range c.env {
		environ = append(environ, name+"="+value)
	}
	ctx = context.WithoutCancel(ctx) // the browser is the person's, and outlives belay
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], address)...)
	cmd.Env = app.PersonEnv(environ) // without belay's keys
	processgroup.Set(cmd)            // Ctrl-C at the terminal is not for the browser
	if err := cmd.Start(); err != nil {
		c.warn("no browser was opened: " + err.Error())
		return
	}
	_ = cmd.Process.Release() // nobody waits for it
}

// browserCommand is the program that opens an address in a browser, nil where there is no
// screen to show it on.
func browserCommand(system string, env map[string]string) []string {
	remote := env["SSH_CONNECTION"] != ""
	switch {
	case system == "windows" && !remote:
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case system == "darwin" && !remote:
		return []string{"open"}
	case system == "windows", system == "darwin", env["DISPLAY"] == "" && env["WAYLAND_DISPLAY"] == "":
		return nil
	}
	return []string{"xdg-open"}
}
