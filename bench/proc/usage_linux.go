package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Memory is what a process occupies, in bytes.
type Memory struct {
	// Resident is VmRSS, Peak the most that it was since the start or the last
	// [Server.ForgetPeak].
	Resident, Peak int64
}

// Memory reads the process's figures from /proc.
func (s *Server) Memory() (Memory, error) { return memoryOf(s.cmd.Process.Pid) }

func memoryOf(pid int) (Memory, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
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

// ticksPerSecond is the unit of the times in /proc on every system that Go runs
// on.
const ticksPerSecond = 100

// Processor is the processor time that the process has used since its start.
func (s *Server) Processor() (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may hold anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("the process's times are not in %q", data)
	}
	var ticks int64
	for _, f := range fields[11:13] { // in the program, and in the kernel for it
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}
