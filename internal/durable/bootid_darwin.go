package durable

import "golang.org/x/sys/unix"

// systemBootID is a name of the time since the system started. Writes of another boot
// may have been lost in a power cut.
func systemBootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
