//go:build unix

// Package processgroup ends a command together with what it started.
package processgroup

import (
	"os/exec"
	"syscall"
)

// Set puts a command that has not begun into a session of its own, which is a process group
// too. The terminal is none of the command's: one that opened it would write over what belay
// shows there, and one that read from it would be stopped for as long as belay has it.
func Set(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

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
