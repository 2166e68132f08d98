//go:build unix

package permit

import (
	"os/exec"
	"syscall"
)

// own puts a command into a process group of its own, which dies with it.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// end kills what the command left running. Its group keeps its number while it
// has a member, so an empty one is nobody else's yet.
func end(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // none left is the usual answer
	}
}
