//go:build unix

// Package processgroup ends a command together with what it started.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Set puts a command that has not begun into a process group of its own.
func Set(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt asks all of a command's group to end, as Ctrl-C does.
func Interrupt(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }

// Kill kills all of a command's group, also just after the command has ended: the group keeps
// its number while it has a member, and the system gives a free number to others late. A
// command that never began has none.
func Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
