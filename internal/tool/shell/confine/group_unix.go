//go:build unix && !linux

package confine

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process group. A process that leaves it is out of reach; only Linux
// can hold those.
type group struct{ id *int }

func newGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return group{id: new(int)}, nil
}

func (g group) adopt(pid int) error {
	*g.id = pid
	return nil
}

func (g group) kill() {
	if *g.id > 0 {
		_ = unix.Kill(-*g.id, unix.SIGKILL) // nobody left is no failure
	}
}

func (g group) close() error { return nil }

func endingOf(s *os.ProcessState) ending {
	if s == nil {
		return ending{exitCode: -1}
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return ending{exitCode: 128 + int(w.Signal()), signal: unix.SignalName(w.Signal())}
	}
	return ending{exitCode: s.ExitCode()}
}
