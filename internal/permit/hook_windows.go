package permit

import (
	"os/exec"
	"syscall"
)

// own puts a command into a process group of its own. Windows kills the command
// alone; what it started without waiting for it goes on.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func end(*exec.Cmd) {}
