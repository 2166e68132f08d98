// Package processgroup ends a command together with what it started. On Windows that is the
// command alone.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Set keeps the terminal's Ctrl-C from a command that has not begun.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Interrupt ends the command.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Kill ends the command. One that never began has nothing to end.
func Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return cmd.Process.Kill()
}
