package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Memory is what a process occupies, in bytes.
type Memory struct {
	// Resident is VmRSS, Peak the most that it was since the start or the last
	// [Server.ForgetPeak].
	Resident, Peak int64
}

// Memory reads the process's figures from /proc.
func (s *Server) Memory() (Memory, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return Memory{}, err
	}
	var m Memory
	if m.Resident, err = kilobytes(data, "VmRSS:"); err != nil {
		return Memory{}, err
	}
	m.Peak, err = kilobytes(data, "VmHWM:")
	return m, err
}

// ForgetPeak makes Peak begin anew at what the process occupies now.
func (s *Server) ForgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0)
}

func kilobytes(status []byte, key string) (int64, error) {
	_, rest, ok := bytes.Cut(status, []byte(key))
	fields := bytes.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, fmt.Errorf("no %s in the process's status", key)
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10, err
}
