package measure

import (
	"bufio"
	"fmt"
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
	// Browser is the one that pages are shown in, "" where none is.
	Browser string `json:"browser,omitempty"`
}

// ThisMachine describes the machine, with the file system that dir is on.
func ThisMachine(dir string) Machine {
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

// String names the machine in the line above a table.
func (m Machine) String() string {
	processor, browser := "", ""
	if m.Processor != "" {
		processor = " (" + m.Processor + ")"
	}
	if m.Browser != "" {
		browser = ", " + m.Browser
	}
	return fmt.Sprintf("%d cores%s, %s/%s, %s%s, built with %s", m.Cores, processor, m.OS, m.Arch, m.Filesystem, browser, m.Go)
}
