package supervisor

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// mount makes the folder appear at its path with everything that is changed in it
// going elsewhere. The options name folders relative to the one below: its path may
// hold the characters that part options. A volatile overlay flushes nothing, which
// an ordinary one does for the whole file system when it is unmounted; what becomes
// of the changes is made durable by the process that applies them.
func (o *Overlay) mount() error {
	on, err := mountPoint(o.Folder, true)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(on) }()
	if err := os.Chdir(oldRoot + o.Folder); err != nil {
		return fmt.Errorf("enter %s: %w", o.Folder, err)
	}
	options := "userxattr,volatile,lowerdir=.,upperdir=" + place(o.Upper) + ",workdir=" + place(o.Work)
	if err := syscall.Mount("belay", oldRoot+"/proc/self/fd/"+strconv.Itoa(on), "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		return fmt.Errorf("lay an overlay on %s: %w", o.Folder, err)
	}
	return os.Chdir("/")
}

// place is a folder as an option of the mount names it.
func place(path string) string {
	if path == "" || path[0] != '/' {
		return path
	}
	escaped := make([]byte, 0, len(oldRoot)+len(path))
	escaped = append(escaped, oldRoot...)
	for i := range len(path) {
		if c := path[i]; c == ',' || c == ':' || c == '\\' {
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, path[i])
	}
	return string(escaped)
}
