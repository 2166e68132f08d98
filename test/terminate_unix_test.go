//go:build unix

package test

import (
	"os/exec"
	"syscall"
)

// terminate asks a process to end.
func terminate(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }
