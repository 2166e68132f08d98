package durable

import (
	"os"
	"strings"
)

// systemBootID is a name of the time since the system started. Writes of another boot
// may have been lost in a power cut.
func systemBootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
