//go:build unix

package permit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// alive reports whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
