package durable

import (
	"errors"
	"os"
	"strings"
	"syscall"
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

// dataSync flushes the file's bytes and its size, but not its times: nobody
// needs those after a power cut, and a file that did not grow costs no journal
// write.
func dataSync(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var sync error
	err = raw.Control(func(fd uintptr) {
		for {
			if sync = syscall.Fdatasync(int(fd)); !errors.Is(sync, syscall.EINTR) {
				return
			}
		}
	})
	if err != nil {
		err = os.ErrClosed // the only way in which Control fails
	} else {
		err = sync
	}
	if err != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}
