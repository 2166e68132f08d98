package main

import (
	"bufio"
	"os"
	"runtime"
	"strings"
)

// Machine describes where the figures come from, and nothing that names it.
type Machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Processor  string `json:"processor,omitempty"`
	Cores      int    `json:"cores"`
	Filesystem string `json:"filesystem"`
	Go         string `json:"go"`
}

func machine(dir string) Machine {
	return Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Processor: processor(), Cores: runtime.NumCPU(),
		Filesystem: filesystem(dir), Go: runtime.Version(),
	}
}

// processor is the model name as Linux tells it, "" elsewhere.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "model name"); ok {
			return strings.TrimLeft(name, "\t :")
		}
	}
	return ""
}
