//go:build unix

package shell

import (
	"os"
	"syscall"
)

// ofOthers reports whether a project's folder belongs to another user or group than those
// of this process. Everything is root's.
func ofOthers(project *os.Root) (bool, error) {
	if os.Geteuid() == 0 {
		return false, nil
	}
	info, err := project.Stat(".")
	if err != nil {
		return false, err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(s.Uid) != os.Geteuid() || int(s.Gid) != os.Getegid()), nil
}
